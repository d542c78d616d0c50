package kafka.server

import kafka.cluster.Partition
import kafka.utils.Logging
import org.apache.kafka.common.utils.Time
import org.apache.kafka.metadata.LeaderAndIsr
import org.apache.kafka.server.util.ShutdownableThread

import java.util.concurrent.TimeUnit
import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters.RichOptional
import scala.util.control.NonFatal

/**
 * Watches the fetches of followers that this broker processes. If one is pending for longer than
 * leader.fetch.process.time.max.ms, without the time for which its follower lets it wait for records, the broker asks in its
 * heartbeats to be fenced (KIP-501, solution 2). The controller then elects other leaders, and the broker asks no longer when
 * no fetch is that slow and it has applied who leads its partitions.
 *
 * This takes no lock of a partition, because a read that hangs may have it, and uses a thread of its own, because those of
 * the broker may wait for such a lock.
 *
 * @param wantFence asks the controller to fence this broker, or no longer
 */
class SelfFencingThread(replicaManager: ReplicaManager,
                        wantFence: Boolean => Unit,
                        time: Time
                       ) extends ShutdownableThread("self-fencing") with Logging {
  private val config = replicaManager.config
  private val metadataCache = replicaManager.metadataCache
  private val processTimeMaxMs = config.leaderFetchProcessTimeMaxMs
  private val checkIntervalMs = math.max(10L, math.min(500L, processTimeMaxMs / 4))
  private var dueAtLastCheckMs = Long.MinValue
  private var whyNotFenced: Option[String] = None
  private var isAsking = false
  private var busyUntilMs = 0L

  this.logIdent = s"[SelfFencingThread broker=${config.brokerId}] "

  override def doWork(): Unit = {
    pause(checkIntervalMs, TimeUnit.MILLISECONDS)
    try checkFetches()
    catch {
      case NonFatal(e) => error("Unexpected error in the check for slow fetches", e)
    }
  }

  // Visible for testing
  private[server] def checkFetches(): Unit = {
    val led = replicaManager.leaderPartitionsIterator.toSet
    val dueMs = time.hiResClockMs - processTimeMaxMs
    // After a pause of the process every pending fetch looks slow. The broker's other threads get one interval to end it.
    val hanging = led.filter(hasSlowFetch(_, dueAtLastCheckMs))
    dueAtLastCheckMs = dueMs
    if (isAsking)
      maybeStopAsking(led.exists(partition => hasSlowFetch(partition, dueMs) || isLedElsewhere(partition)))
    else if (hanging.nonEmpty)
      maybeAsk(hanging)
    else
      whyNotFenced = None
  }

  private def maybeAsk(hanging: Set[Partition]): Unit = {
    val slowest = s"${hanging.size} partitions have a follower's fetch that takes longer than $processTimeMaxMs ms, such as " +
      s"${hanging.head.topicPartition}"
    val whyNot = reasonNotToBeFenced(hanging)
    if (whyNot.isEmpty) {
      warn(s"Asking the controller to fence this broker: $slowest")
      isAsking = true
      busyUntilMs = time.hiResClockMs
      wantFence(true)
    } else if (whyNot != whyNotFenced)
      warn(s"Not asking the controller to fence this broker, because ${whyNot.get}: $slowest")
    whyNotFenced = whyNot
  }

  private def maybeStopAsking(isBusy: Boolean): Unit = {
    val nowMs = time.hiResClockMs
    if (isBusy)
      busyUntilMs = nowMs
    else if (nowMs - busyUntilMs >= processTimeMaxMs) {
      info("No longer asking the controller to fence this broker")
      isAsking = false
      wantFence(false)
    }
  }

  private def hasSlowFetch(partition: Partition, dueMs: Long): Boolean = {
    val isr = partition.inSyncReplicaIds
    partition.remoteReplicas.exists(replica => isr.contains(replica.brokerId) && replica.hasFetchDueBefore(dueMs))
  }

  /** Whether the metadata names another leader, or none, in an epoch that this broker has not applied yet. */
  private def isLedElsewhere(partition: Partition): Boolean = {
    leaderAndIsr(partition).exists { now =>
      now.leaderEpoch > partition.getLeaderEpoch && now.leader != config.brokerId
    }
  }

  private def reasonNotToBeFenced(hanging: Set[Partition]): Option[String] = {
    val hosted = replicaManager.onlinePartitionsIterator.toSeq
    val others = hosted.flatMap(_.assignmentState.replicas.asScala.map(_.toInt)).toSet - config.brokerId
    val dead = others.filterNot(metadataCache.hasAliveBroker(_))
    val atMinIsr = hosted.filter(partition => !hanging.contains(partition) && losesAvailability(partition))
    if (config.logDirs.size > 1)
      Some("its other log directories may work")
    else if (dead.size * 2 > others.size)
      Some(s"${dead.size} of ${others.size} other brokers are fenced or dead")
    else if (atMinIsr.nonEmpty)
      Some(s"${atMinIsr.size} partitions need it, such as ${atMinIsr.head.topicPartition}")
    else
      None
  }

  /** Whether a partition accepts acks=all, or has a leader, only if this broker is in its ISR. */
  private def losesAvailability(partition: Partition): Boolean = {
    val minIsr = math.min(partition.log.fold(1)(_.config.minInSyncReplicas.intValue), partition.assignmentState.replicas.size)
    leaderAndIsr(partition).exists { now =>
      now.isr.contains(config.brokerId) && (now.isr.size == 1 || now.isr.size == minIsr)
    }
  }

  private def leaderAndIsr(partition: Partition): Option[LeaderAndIsr] =
    metadataCache.getLeaderAndIsr(partition.topic, partition.partitionId).toScala
}
