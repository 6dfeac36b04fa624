// The event loop: waits for input, timers and other threads.

import Foundation

/// Waits for input, timers and other threads, and runs the due work, all on the thread that calls ``run()``.
///
/// ``post(_:)`` may be called from any thread; everything else belongs to the thread that runs the loop.
public final class EventLoop: Timers, @unchecked Sendable {
    // `Sendable` because a lock guards `posted`, the pipe never changes, and the rest belongs to one thread.
    private let pipe: (readEnd: Int32, writeEnd: Int32)
    private let lock = NSLock()
    private var posted: [@Sendable () -> Void] = []

    private struct Entry {
        var due: Double
        let interval: Double?
        let action: () -> Void
    }
    private var timers: [Int: Entry] = [:]
    private var timerCount = 0
    private var isStopped = false

    /// The descriptor of the input, and the handler of its bytes. An empty array means that the input has ended.
    package var input: (descriptor: Int32, take: ([UInt8]) -> Void)?
    /// Called before each wait.
    var onIdle: () -> Void = {}
    /// Called after each wait, before any other work.
    var onWake: () -> Void = {}

    /// Creates a loop.
    ///
    /// - Precondition: The process may open two more files.
    public init() {
        var ends: [Int32] = [-1, -1]
        let result = Foundation.pipe(&ends)
        precondition(result == 0, "An event loop needs a pipe: \(String(cString: strerror(errno))).")
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        pipe = (ends[0], ends[1])
    }

    deinit {
        close(pipe.readEnd)
        close(pipe.writeEnd)
    }

    /// The descriptor to which a signal handler writes a byte to wake the loop.
    var wakeDescriptor: Int32 { pipe.writeEnd }

    // MARK: - Running

    /// Runs until ``stop()``.
    public func run() {
        while !isStopped {
            onIdle()
            if !isStopped { turn() }
        }
    }

    /// Makes ``run()`` return.
    public func stop() { isStopped = true }

    /// Waits once, and then runs the due work.
    ///
    /// - Parameter seconds: The maximum time to wait.
    package func turn(waiting seconds: Double = .infinity) {
        let hasInput = wait(min(seconds, timeToNextTimer))
        onWake()
        if hasInput, let input { read(from: input.descriptor, input.take) }
        runPosted()
        fireTimers()
    }

    private func wait(_ seconds: Double) -> Bool {
        let seconds = lock.withLock { posted.isEmpty } ? seconds : 0
        let milliseconds = seconds < 1e6 ? Int32((seconds * 1000).rounded(.up)) : -1
        var descriptors = [pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0)]
        if let input { descriptors.append(pollfd(fd: input.descriptor, events: Int16(POLLIN), revents: 0)) }
        guard poll(&descriptors, nfds_t(descriptors.count), milliseconds) > 0 else { return false }
        if descriptors[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 256)
            while Foundation.read(pipe.readEnd, &bytes, bytes.count) == bytes.count {}
        }
        return descriptors.count > 1 && descriptors[1].revents != 0
    }

    private func read(from descriptor: Int32, _ take: ([UInt8]) -> Void) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(descriptor, &bytes, bytes.count)
        if count >= 0 {
            take(Array(bytes.prefix(count)))
        } else if errno != EINTR, errno != EAGAIN {
            take([])
        }
    }

    // MARK: - Other threads

    /// Runs `work` on the loop's thread, soon. May be called from any thread, also from work that the loop runs.
    public func post(_ work: @escaping @Sendable () -> Void) {
        let isFirst = lock.withLock {
            posted.append(work)
            return posted.count == 1
        }
        guard isFirst else { return }
        var byte: UInt8 = 0
        // If the pipe is full, the loop wakes up in any case.
        _ = write(pipe.writeEnd, &byte, 1)
    }

    /// Runs all posted work, but not the work that this posts.
    ///
    /// - Returns: Whether there was any work.
    @discardableResult
    func runPosted() -> Bool {
        let due = lock.withLock {
            defer { posted = [] }
            return posted
        }
        due.forEach { $0() }
        return !due.isEmpty
    }

    // MARK: - Time

    /// Seconds since the machine was started.
    public var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Calls `action` repeatedly until the timer is cancelled. Missed calls are skipped.
    public func every(_ seconds: Double, _ action: @escaping () -> Void) -> ScheduledTimer {
        schedule(Entry(due: now + seconds, interval: seconds, action: action))
    }

    /// Calls `action` once, unless the timer is cancelled first.
    package func after(_ seconds: Double, _ action: @escaping () -> Void) -> ScheduledTimer {
        schedule(Entry(due: now + seconds, interval: nil, action: action))
    }

    private func schedule(_ entry: Entry) -> ScheduledTimer {
        timerCount += 1
        let number = timerCount
        timers[number] = entry
        return ScheduledTimer { [weak self] in self?.timers[number] = nil }
    }

    private var timeToNextTimer: Double {
        timers.values.map(\.due).min().map { max(0, $0 - now) } ?? .infinity
    }

    private func fireTimers() {
        let now = now
        for number in timers.keys.sorted() {
            // A timer's action may cancel another timer.
            guard let timer = timers[number], timer.due <= now else { continue }
            timers[number]?.due = max(timer.due + (timer.interval ?? 0), now)
            if timer.interval == nil { timers[number] = nil }
            timer.action()
        }
    }
}
