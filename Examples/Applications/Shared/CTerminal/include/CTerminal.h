// The signal handlers of a full-screen program, where no Swift code may run.
//
// A handler may run at any moment, also while the program holds a lock or allocates memory. So all data of the handlers
// is in static memory before they are installed. They call only functions that POSIX declares async-signal-safe.

#ifndef C_TERMINAL_H
#define C_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/// Installs the handlers of this process.
///
/// - SIGWINCH, SIGCONT, SIGTSTP, SIGINT, SIGTERM and SIGHUP are noted for `terminal_take_signal`, and a byte is written
///   to `wake`. If one of the last three arrives while another of them has not been taken, the process ends
///   immediately, in case it hangs.
/// - The signals of a crash, and SIGQUIT, restore the terminal and then run the original action.
///
/// `wake` must not block.
void terminal_install_handlers(int wake);

/// Restores the signal actions from before the handlers.
void terminal_remove_handlers(void);

/// Whether a signal has arrived since the last call.
bool terminal_take_signal(int signal_number);

/// Takes over the terminal: stores its settings unless it is already taken, stops echo and line editing, and writes
/// `enter`.
///
/// Keyboard signals keep their meaning. Output to standard error that would go to the screen is captured until
/// `terminal_leave`.
///
/// - Parameters:
///   - leave: The bytes that `terminal_leave` writes; at most 64.
/// - Returns: 0, or the error.
int terminal_enter(int input, int output, const char *enter, const char *leave);

/// Restores the terminal: writes the `leave` bytes of `terminal_enter`, restores the settings, and writes the captured
/// output of standard error. Does nothing if the terminal is not taken. Async-signal-safe.
void terminal_leave(void);

/// Lets a program edit a line: stops echo and line editing of the terminal. The program reads keys until
/// `terminal_end_line`.
///
/// The settings are restored before the process is stopped or ended by SIGTSTP, SIGINT, SIGQUIT, SIGTERM or SIGHUP.
/// When a stopped process continues, the terminal is set again, and a running read(2) fails with EINTR. Do not use it
/// together with `terminal_enter`.
///
/// - Returns: 0, or the error.
int terminal_begin_line(int input);

/// Restores the settings from before `terminal_begin_line`. Async-signal-safe.
void terminal_end_line(void);

/// Stops the process, like an unhandled Ctrl-Z. Returns when the process continues; immediately if it cannot be
/// stopped.
void terminal_suspend(void);

/// Ends the process with a signal, so that its parent sees the signal.
void terminal_end_by_signal(int signal_number) __attribute__((noreturn));

/// Gets the size of the screen.
///
/// - Returns: Whether the terminal reports a size.
bool terminal_size(int output, int *columns, int *rows);

#endif
