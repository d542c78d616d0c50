package kafka.cluster

import org.apache.kafka.metadata.LeaderRecoveryState
import org.apache.kafka.server.replica.pending.FollowerTracker
import org.apache.kafka.server.replica.stepdown.{PartitionView, PendingAppend}

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters.RichOptional

/**
 * What the rules of a step-down see of a partition that this broker leads. Reads volatile fields and takes none of the
 * partition's locks, because a stalled read may have them.
 */
private[kafka] class LedPartitionView(val kafkaPartition: Partition) extends PartitionView {

  override def topic: String = kafkaPartition.topic

  override def partition: Int = kafkaPartition.partitionId

  override def leaderEpoch: Int = kafkaPartition.getLeaderEpoch

  def isLed: Boolean = kafkaPartition.isLeader

  override def overdueSince(before: Long): Long = {
    val members = kafkaPartition.partitionState.isr
    var oldest = FollowerTracker.NOT_PENDING
    kafkaPartition.remoteReplicas.foreach { replica =>
      val tracker = replica.fetchTracker
      val since = if (tracker == null) FollowerTracker.NOT_PENDING else tracker.overdueSince(before)
      if (since != FollowerTracker.NOT_PENDING && members.contains(replica.brokerId) &&
          (oldest == FollowerTracker.NOT_PENDING || since - oldest < 0))
        oldest = since
    }
    oldest
  }

  // Appends are not timed.
  override def oldestAppend: PendingAppend = null

  // Only slow fetches count.
  override def readErrors: Long = 0

  override def isChanging: Boolean = kafkaPartition.partitionState.isInflight || kafkaPartition.isReassigning

  override def isr: Array[Int] = {
    val members = kafkaPartition.partitionState.isr
    assigned.filter(members.contains(_)).toArray
  }

  override def minIsr: Int = kafkaPartition.localLogOrException.config.minInSyncReplicas

  override def leo(replicaId: Int): Long = kafkaPartition.getReplica(replicaId).fold(-1L)(_.stateSnapshot.logEndOffset)

  /** Broker ids in the order of the assignment. */
  def assigned: Seq[Int] = kafkaPartition.assignmentState.replicas.asScala.map(_.toInt).toSeq

  def recoveryState: LeaderRecoveryState = kafkaPartition.partitionState.leaderRecoveryState

  /** A follower's broker epoch, or -1 if it is not known; the controller does not compare -1. */
  def brokerEpoch(replicaId: Int): Long =
    kafkaPartition.getReplica(replicaId).flatMap(_.stateSnapshot.brokerEpoch.toScala).fold(-1L)(_.toLong)
}
