// The settings of the terminal while a program edits one line.

#include "CTerminal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int ending_signals[] = {SIGTSTP, SIGINT, SIGQUIT, SIGTERM, SIGHUP};
#define COUNT(array) (sizeof(array) / sizeof(array[0]))

// Written only while `is_editing` is 0.
static struct termios original;
static int input_descriptor;
static struct sigaction before[NSIG];
static volatile sig_atomic_t is_editing;

static void set_handler(int signal_number);

/// Changes the terminal settings, also if the process is in the background.
static int set(const struct termios *settings) {
    sigset_t background, mask;
    sigemptyset(&background);
    sigaddset(&background, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &background, &mask);
    int result;
    // Waits for pending output, and keeps keys that were typed ahead.
    do result = tcsetattr(input_descriptor, TCSADRAIN, settings);
    while (result != 0 && errno == EINTR);
    int error = result == 0 ? 0 : errno;
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return error;
}

static int set_for_editing(void) {
    struct termios settings = original;
    settings.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | ISTRIP | IXON);
    settings.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | IEXTEN);
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    return set(&settings);
}

/// Restores the settings and runs the original action of a signal.
static void pass_on(int signal_number) {
    int error = errno;
    set(&original);
    sigaction(signal_number, &before[signal_number], NULL);
    sigset_t set_of_one, mask;
    sigemptyset(&set_of_one);
    sigaddset(&set_of_one, signal_number);
    raise(signal_number);
    pthread_sigmask(SIG_UNBLOCK, &set_of_one, &mask);
    // The process continues.
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    set_handler(signal_number);
    tcgetattr(input_descriptor, &original);
    set_for_editing();
    errno = error;
}

static void set_handler(int signal_number) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = pass_on;
    // Without SA_RESTART, so that the read fails and the line is drawn again.
    sigfillset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

int terminal_begin_line(int input) {
    if (is_editing) return EBUSY;
    if (tcgetattr(input, &original) != 0) return errno;
    input_descriptor = input;
    for (size_t i = 0; i < COUNT(ending_signals); i++) {
        int number = ending_signals[i];
        sigaction(number, NULL, &before[number]);
        // Signals that the parent process ignores stay ignored.
        if (before[number].sa_handler != SIG_IGN) set_handler(number);
    }
    is_editing = 1;
    int error = set_for_editing();
    if (error) terminal_end_line();
    return error;
}

void terminal_end_line(void) {
    if (!is_editing) return;
    is_editing = 0;
    set(&original);
    for (size_t i = 0; i < COUNT(ending_signals); i++) {
        sigaction(ending_signals[i], &before[ending_signals[i]], NULL);
    }
}
