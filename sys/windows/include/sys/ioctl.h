/* sys/ioctl.h - the size of a console. */
#ifndef TOAD_WINDOWS_IOCTL_H
#define TOAD_WINDOWS_IOCTL_H

struct winsize {
    unsigned short ws_row, ws_col;
};

#define TIOCGWINSZ 0x5413
int ioctl(int fd, unsigned long what, struct winsize *ret);

#endif
