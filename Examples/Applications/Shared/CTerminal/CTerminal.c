// The signal handlers of a full-screen program, and the state they need.

#include "CTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// Written only while `taken` is 0.
static struct termios original;
static int input_descriptor;
static int output_descriptor;
static char leave_sequence[65];
/// The original standard error, and the file that captures output to it; -1 if it is not captured.
static int real_error = -1;
static int kept_error = -1;
/// Whether the terminal is taken and must be restored.
static volatile sig_atomic_t taken;

static volatile sig_atomic_t wake_descriptor = -1;
static volatile sig_atomic_t noted[NSIG];
/// Whether the program has been asked to end. A second request ends it immediately.
static volatile sig_atomic_t asked_to_end;
/// The signal actions before the handlers were installed.
static struct sigaction before[NSIG];

static const int noted_signals[] = {SIGWINCH, SIGCONT, SIGTSTP, SIGINT, SIGTERM, SIGHUP};
static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGQUIT};

#define COUNT(array) (sizeof(array) / sizeof(array[0]))

// MARK: - Restoring the terminal

static void write_all(int descriptor, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written < 0) {
            if (errno == EINTR) continue;
            return;
        }
        bytes += written;
        count -= (size_t)written;
    }
}

/// Captures output to standard error if that is a terminal.
static void keep_error(void) {
    if (!isatty(STDERR_FILENO)) return;
    char path[] = "/tmp/terminal-XXXXXX";
    kept_error = mkstemp(path);
    if (kept_error < 0) return;
    unlink(path);
    fcntl(kept_error, F_SETFD, FD_CLOEXEC);
    real_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (real_error >= 0 && dup2(kept_error, STDERR_FILENO) >= 0) return;
    close(kept_error);
    kept_error = -1;
}

/// Writes the captured output to the original standard error.
static void release_error(void) {
    if (kept_error < 0) return;
    dup2(real_error, STDERR_FILENO);
    close(real_error);
    lseek(kept_error, 0, SEEK_SET);
    char bytes[1024];
    ssize_t count;
    while ((count = read(kept_error, bytes, sizeof bytes)) > 0) write_all(STDERR_FILENO, bytes, (size_t)count);
    close(kept_error);
    kept_error = -1;
}

void terminal_leave(void) {
    if (!taken) return;
    taken = 0;
    int error = errno;
    // The system stops a background process that changes terminal settings, unless it blocks the signal.
    sigset_t background, mask;
    sigemptyset(&background);
    sigaddset(&background, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &background, &mask);
    // A terminal that accepts no output must not prevent the process from ending.
    struct pollfd descriptor = {.fd = output_descriptor, .events = POLLOUT};
    if (poll(&descriptor, 1, 1000) > 0) write_all(output_descriptor, leave_sequence, strlen(leave_sequence));
    tcsetattr(input_descriptor, TCSANOW, &original);
    release_error();
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    errno = error;
}

// MARK: - Handlers

static void set_default(int signal_number) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

/// Runs the default action of a signal, also inside its handler.
static void raise_unhandled(int signal_number) {
    set_default(signal_number);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal_number);
    raise(signal_number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void note(int signal_number) {
    int error = errno;
    bool ends = signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP;
    if (ends && asked_to_end) {
        terminal_leave();
        raise_unhandled(signal_number);
    }
    if (ends) asked_to_end = 1;
    noted[signal_number] = 1;
    char byte = 0;
    // If the pipe is full, the loop wakes up in any case.
    ssize_t written = write((int)wake_descriptor, &byte, 1);
    (void)written;
    errno = error;
}

static void crash(int signal_number, siginfo_t *info, void *context) {
    (void)context;
    terminal_leave();
    sigaction(signal_number, &before[signal_number], NULL);
    // A faulting instruction faults again when the handler returns. A signal that was sent by a process, or a trap,
    // must be raised again; it stays pending until the handler returns.
    if (info->si_code <= 0 || signal_number == SIGTRAP || signal_number == SIGQUIT) raise(signal_number);
}

static void install_note(int signal_number, struct sigaction *previous) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, previous);
}

/// Gives the handlers of this thread an alternate stack, because a crash may be a stack overflow.
static void provide_stack(void) {
    static char memory[64 * 1024];
    stack_t stack;
    if (sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_DISABLE)) {
        memset(&stack, 0, sizeof stack);
        stack.ss_sp = memory;
        stack.ss_size = sizeof memory;
        sigaltstack(&stack, NULL);
    }
}

void terminal_install_handlers(int wake) {
    wake_descriptor = wake;
    asked_to_end = 0;
    for (size_t i = 0; i < COUNT(noted_signals); i++) {
        noted[noted_signals[i]] = 0;
        install_note(noted_signals[i], &before[noted_signals[i]]);
    }

    provide_stack();
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < COUNT(crash_signals); i++) {
        sigaction(crash_signals[i], &action, &before[crash_signals[i]]);
    }
}

void terminal_remove_handlers(void) {
    for (size_t i = 0; i < COUNT(noted_signals); i++) sigaction(noted_signals[i], &before[noted_signals[i]], NULL);
    for (size_t i = 0; i < COUNT(crash_signals); i++) sigaction(crash_signals[i], &before[crash_signals[i]], NULL);
    wake_descriptor = -1;
}

bool terminal_take_signal(int signal_number) {
    if (!noted[signal_number]) return false;
    noted[signal_number] = 0;
    return true;
}

// MARK: - Taking over the terminal

int terminal_enter(int input, int output, const char *enter, const char *leave) {
    if (strlen(leave) >= sizeof leave_sequence) return EINVAL;
    if (!taken) {
        if (tcgetattr(input, &original) != 0) return errno;
        input_descriptor = input;
        output_descriptor = output;
        strcpy(leave_sequence, leave);
        // From here on, a crash restores the terminal.
        taken = 1;
    }
    struct termios raw = original;
    raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
    raw.c_oflag &= ~(tcflag_t)OPOST;
    raw.c_cflag |= CS8;
    raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | IEXTEN);
    raw.c_lflag |= ISIG;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    int result;
    do result = tcsetattr(input, TCSANOW, &raw);
    while (result != 0 && errno == EINTR);
    if (result != 0) {
        result = errno;
        taken = 0;
        return result;
    }
    write_all(output, enter, strlen(enter));
    if (kept_error < 0) keep_error();
    return 0;
}

void terminal_suspend(void) {
    raise_unhandled(SIGTSTP);
    install_note(SIGTSTP, NULL);
}

void terminal_end_by_signal(int signal_number) {
    raise_unhandled(signal_number);
    // The parent process has set the signal to be ignored.
    _exit(128 + signal_number);
}

bool terminal_size(int output, int *columns, int *rows) {
    struct winsize size;
    if (ioctl(output, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return false;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return true;
}
