// What a full-screen program must do where no Swift code may run: in signal handlers.
//
// A handler may run at any moment, also while the program holds a lock or allocates memory. So all that the handlers need is in plain
// static memory before they are installed, and they call nothing but functions that POSIX declares async-signal-safe.

#ifndef C_TERMINAL_H
#define C_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/// Installs the handlers of this process.
///
/// - SIGWINCH, SIGCONT, SIGTSTP, SIGINT, SIGTERM and SIGHUP are noted for `terminal_take_signal`, and a byte is written to `wake`. One of the
///   last three that comes while one of them has not been taken ends the process at once, in case it hangs.
/// - The signals of a crash, and SIGQUIT, leave the terminal and go on to what was to happen before.
///
/// `wake` must not block.
void terminal_install_handlers(int wake);

/// Installs what was there before the handlers.
void terminal_remove_handlers(void);

/// Whether a signal has come since it was last asked for.
bool terminal_take_signal(int signal_number);

/// Takes the terminal: remembers its settings unless it is taken already, stops echo and line editing, and writes `enter`.
///
/// Signals of the keyboard stay what they are. What is written to standard error meanwhile is kept for `terminal_leave`, if it would have
/// gone to the screen.
///
/// - Parameters:
///   - leave: What `terminal_leave` writes; at most 64 bytes.
/// - Returns: 0, or the error.
int terminal_enter(int input, int output, const char *enter, const char *leave);

/// Gives the terminal back as it was: writes what was given to `terminal_enter`, restores the settings, and writes what came
/// through standard error meanwhile. Does nothing if it is not taken. Async-signal-safe.
void terminal_leave(void);

/// Lets a program edit a line: stops echo and line editing of the terminal. The program reads keys until `terminal_end_line`.
///
/// The settings are restored before the process is stopped or ended by SIGTSTP, SIGINT, SIGQUIT, SIGTERM or SIGHUP.
/// When a stopped process continues, the terminal is set again, and a read(2) that was under way fails with EINTR.
/// Do not use it together with `terminal_enter`.
///
/// - Returns: 0, or the error.
int terminal_begin_line(int input);

/// Restores the settings from before `terminal_begin_line`. Async-signal-safe.
void terminal_end_line(void);

/// Stops the process, as Ctrl-Z would if nobody handled it. Returns when it is continued; at once if it cannot be stopped.
void terminal_suspend(void);

/// Ends the process by a signal, so that its parent sees by which one.
void terminal_end_by_signal(int signal_number) __attribute__((noreturn));

/// Asks for the size of the screen.
///
/// - Returns: Whether the terminal knows it.
bool terminal_size(int output, int *columns, int *rows);

#endif
