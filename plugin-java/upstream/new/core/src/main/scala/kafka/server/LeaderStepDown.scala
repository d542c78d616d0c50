package kafka.server

import kafka.cluster.{LedPartitionView, Partition}
import kafka.utils.Logging
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.utils.Time
import org.apache.kafka.server.purgatory.TopicPartitionOperationKey
import org.apache.kafka.server.replica.pending.TimeClock
import org.apache.kafka.server.replica.stepdown.{Decision, Fencing, LeaderStepDownConfig, Outcome, OutgoingFetch, PeerFetches, StepDownListener, StepDownRequest, StepDownRequests, StepDownSettings, StepDownStats, StepDownWatch}
import org.apache.kafka.server.util.ShutdownableThread

import java.util
import java.util.concurrent.{ConcurrentLinkedQueue, TimeUnit}
import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._
import scala.util.control.NonFatal

/**
 * Gives the leadership of partitions away whose fetches this broker processes for too long (KIP-501, solution 2).
 * [[StepDownWatch]] decides; this class executes its decisions. It takes no lock of a partition and uses a thread of its
 * own, because the broker's other threads and locks may be stalled.
 */
class LeaderStepDown(replicaManager: ReplicaManager, time: Time) extends Logging {
  private val clock = new TimeClock(time)
  private val peerFetches = new PeerFetches(clock)
  @volatile private[server] var running: RunningStepDown = _
  // Asks the controller to fence this broker, or no longer
  @volatile private[server] var wantFence: Boolean => Unit = _ => ()

  this.logIdent = s"[LeaderStepDown broker=${replicaManager.config.brokerId}] "

  /** Whether a slow leader gives its partitions away. */
  def isOn: Boolean = running != null

  /** Start, stop, or take updated values, as the configs say. */
  def configure(config: KafkaConfig): Unit = synchronized {
    val wanted = LeaderStepDownConfig.settings(config)
    if (!wanted.isPresent)
      shutdown()
    else if (isOn)
      running.settings.become(wanted.get)
    else replicaManager.alterPartitionManager match {
      case manager: DefaultAlterPartitionManager =>
        running = new RunningStepDown(wanted.get, manager)
        running.thread.start()
      case manager =>
        warn(s"This broker does not step down: ${manager.getClass.getName} cannot send the requests")
    }
  }

  def shutdown(): Unit = synchronized {
    val stopped = running
    running = null
    if (stopped != null)
      stopped.close()
  }

  /** Measure the fetches of a new fetcher of this broker. */
  private[server] def fetcher(peerId: Int): PeerFetcher = new PeerFetcher(peerFetches.fetcher(peerId))

  /** Note that another broker leads a partition in a later epoch, before this broker has become its follower. */
  private[kafka] def leadershipEnded(partition: Partition, leaderEpoch: Int): Unit = {
    if (partition.endLeadership(leaderEpoch))
      replicaManager.delayedProducePurgatory.checkAndComplete(new TopicPartitionOperationKey(partition.topicPartition))
  }

  /**
   * One fetcher of this broker, as a follower of a peer.
   */
  private[server] class PeerFetcher(fetch: OutgoingFetch) {

    /** Note that a request is about to be sent; null if that is not measured. */
    def sending(): OutgoingFetch = {
      if (isOn) {
        fetch.sent()
        fetch
      } else
        null
    }

    def closed(): Unit = fetch.closed()
  }

  /**
   * The step-downs from the time that the feature is turned on until it is turned off.
   */
  private[server] class RunningStepDown(val settings: StepDownSettings, manager: DefaultAlterPartitionManager) extends StepDownListener {
    // How long to wait between two looks at the metadata while a request is open
    private val openRequestPauseMs = 40L
    private val brokerId = replicaManager.config.brokerId
    private val watch = new StepDownWatch(brokerId, settings, clock, peerFetches,
      () => replicaManager.pendingFetches.stats.releasedTotal,
      new StepDownStats(this), failed => error("Could not check a partition", failed))
    private[server] val fencing = new Fencing(settings)
    private val asking = new ConcurrentLinkedQueue[StepDownRequest[LedPartitionView]]
    private val requests = new StepDownRequests[LedPartitionView](clock, watch)
    private val relinquisher = new Relinquisher(brokerId, settings, manager, requests, leadershipEnded, asking.add(_))

    val thread: ShutdownableThread = new ShutdownableThread("leader-step-down", true, logIdent) {
      override def doWork(): Unit = {
        pause(if (requests.isAnyOpen) math.min(openRequestPauseMs, watch.dueMs) else watch.dueMs, TimeUnit.MILLISECONDS)
        try tick()
        catch {
          case NonFatal(e) => error("Unexpected error in the check for slow fetches", e)
        }
      }
    }

    // Visible for testing
    private[server] def tick(): Unit = {
      val led = replicaManager.leaderPartitionsIterator.map(partition => new LedPartitionView(partition)).toSeq
      val acting = watch.tick(led.asJava, livePeers, util.List.of()).asScala.filter(_.acts)
      if (acting.nonEmpty) {
        val byPartition = led.map(view => view.kafkaPartition.topicPartition -> view).toMap
        manager.submitTogether(() => acting.foreach { decision =>
          relinquisher.relinquish(decision, byPartition(topicPartition(decision)))
        })
      }
      // Metadata overrules responses.
      requests.look(isLedElsewhere).forEach { done =>
        leadershipEnded(done.led.kafkaPartition, done.decision.leaderEpoch)
      }
      fence(led)
    }

    def close(): Unit = {
      thread.shutdown()
      if (fencing.end(clock.nanos))
        wantFence(false)
    }

    /** Begin to ask for fencing, and no longer ask when this broker can serve and has applied who leads. */
    private def fence(led: Seq[LedPartitionView]): Unit = {
      val now = clock.nanos
      val asked = Iterator.continually(asking.poll()).takeWhile(_ != null).toSeq
      if (asked.nonEmpty) {
        val against = if (fencing.isWanted) null else whyNotFenced(asked.map(_.led.kafkaPartition).toSet)
        if (against != null)
          asked.foreach(_.settle(Outcome.REFUSED, s"not fenced: $against"))
        else if (fencing.ask(now)) {
          warn("This broker asks the controller to fence it, because what it leads is too slow")
          wantFence(true)
        }
      }
      val ended = led.filter(view => isLedElsewhere(view.kafkaPartition.topicPartition, view.leaderEpoch))
      if (fencing.isWanted)
        ended.foreach(view => leadershipEnded(view.kafkaPartition, view.leaderEpoch))
      val scope = replicaManager.pendingFetches.requestScope
      val hangs = scope != null && scope.longestCallNanos > settings.processTimeMaxNanos / 2
      if (fencing.tick(now, hangs, ended.isEmpty)) {
        info("This broker no longer asks the controller to fence it")
        wantFence(false)
      }
    }

    private def whyNotFenced(hanging: Set[Partition]): String = {
      val hosted = replicaManager.onlinePartitionsIterator.filter(isrOf(_).contains(brokerId)).toSeq
      val peers = hosted.flatMap(_.assignmentState.replicas.asScala.map(_.toInt)).toSet - brokerId
      val members = hosted.map { partition =>
        new Fencing.Member(partition.topicPartition.toString, isrOf(partition).size,
          partition.localLogOrException.config.minInSyncReplicas, hanging.contains(partition))
      }
      fencing.against(members.asJava, peers.size, livePeers.count(peers.contains), replicaManager.config.logDirs.size)
    }

    private def isrOf(partition: Partition): Set[Int] = {
      if (partition.isLeader)
        new LedPartitionView(partition).isr.toSet
      else
        replicaManager.metadataCache.getLeaderAndIsr(partition.topic, partition.partitionId).toScala
          .fold(Set.empty[Int])(_.isr.asScala.map(_.toInt).toSet)
    }

    private def livePeers: Array[Int] = {
      val cache = replicaManager.metadataCache
      cache.getAliveBrokerNodes(replicaManager.config.interBrokerListenerName).asScala.map(_.id)
        .filter(id => id != brokerId && !cache.isBrokerShuttingDown(id)).toArray
    }

    private def isLedElsewhere(request: StepDownRequest[LedPartitionView]): Boolean = {
      isLedElsewhere(topicPartition(request.decision), request.decision.leaderEpoch)
    }

    private def isLedElsewhere(partition: TopicPartition, leaderEpoch: Int): Boolean = {
      val now = replicaManager.metadataCache.getLeaderAndIsr(partition.topic, partition.partition)
      now.isPresent && now.get.leaderEpoch > leaderEpoch && now.get.leader >= 0 && now.get.leader != brokerId
    }

    override def decided(decision: Decision): Unit = {
      val why = s"reason ${decision.reason.word}, leader epoch ${decision.leaderEpoch}, a follower's fetch is overdue by " +
        s"${decision.pendingMs} ms"
      if (decision.acts)
        info(s"[Partition ${topicPartition(decision)}] This leader steps down ($why): it asks the controller to make broker " +
          s"${decision.successor} the leader")
      else
        info(s"[Partition ${topicPartition(decision)}] This leader does not step down ($why)")
    }

    override def ended(decision: Decision, outcome: Outcome, way: String, error: String, askedMs: Long): Unit = {
      val what = s"[Partition ${topicPartition(decision)}] The step-down in leader epoch ${decision.leaderEpoch}"
      val how = Option(way).fold("")(by => s" by $by")
      if (outcome == Outcome.DONE) {
        replicaManager.leaderStepDownRate.mark()
        info(s"$what is done after $askedMs ms$how")
      } else {
        replicaManager.failedLeaderStepDownRate.mark()
        warn(s"$what ended as ${outcome.word} after $askedMs ms$how: $error")
      }
    }

    private def topicPartition(decision: Decision) = new TopicPartition(decision.topic, decision.partition)
  }
}
