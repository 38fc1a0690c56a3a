/* The physical limit of `causeway bench`: the transport of a world server without a world.
 *
 *     floor CLIENTS NEIGHBOURS PACE
 *
 * One epoll loop takes packets of 7 bytes; once per turn every mover becomes a packet of 17 bytes for NEIGHBOURS
 * others and one of 3 bytes for itself; each client gets one send per turn. No decoding, no game, no
 * cipher, no compression. PACE is the time between two turns in milliseconds; 0 paces nearly as the server does
 * (which goes by the last few turns): 2 ms, or three times the last turn, 50 ms at most. Prints its port, then serves until its standard input ends. */

#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { REQUEST = 7, MOVED = 17, ANSWER = 3, EVENTS = 512, LISTENER = -1, INPUT = -2 };

struct client {
    int fd;
    int moves;    /* not yet told to anybody */
    int length;   /* of out */
    char *out;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void watch(int poll, int fd, int who) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = who};
    epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
}

static void put(struct client *to, const char *packet, int size, int room) {
    if (to->length + size <= room) {
        memcpy(to->out + to->length, packet, size);
        to->length += size;
    }
}

/* Everybody's moves to everybody's neighbours; how long it took. The neighbours lie evenly over all clients: those
 * with adjacent numbers move at nearly the same time, and would share a send that those of a world do not. */
static double turn(struct client *clients, int count, int neighbours, int room) {
    const char moved[MOVED] = {0x77}, answer[ANSWER] = {0x22};
    double began = now();
    if (neighbours >= count)
        neighbours = count - 1;
    for (int i = 0; i < count; i++) {
        for (; clients[i].moves > 0; clients[i].moves--) {
            put(&clients[i], answer, ANSWER, room);
            for (int k = 1; k <= neighbours; k++)
                put(&clients[(i + (long)k * count / (neighbours + 1)) % count], moved, MOVED, room);
        }
    }
    for (int i = 0; i < count; i++) {
        if (clients[i].length > 0) {
            /* Whoever hung up is found by its end of file; that is no news, and there are many at the end. */
            if (send(clients[i].fd, clients[i].out, clients[i].length, MSG_NOSIGNAL) < 0 && errno != EPIPE &&
                errno != ECONNRESET && errno != EBADF)
                perror("send");
            clients[i].length = 0;
        }
    }
    return now() - began;
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    int most = atoi(argv[1]), neighbours = atoi(argv[2]), count = 0, waiting = 0, one = 1;
    double pace = atof(argv[3]) / 1000, last = 0, took = 0;
    int room = 64 * 1024 + neighbours * MOVED;
    struct client *clients = calloc(most, sizeof *clients);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), poll = epoll_create1(0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listener, (void *)&address, size) || listen(listener, 4096) ||
        getsockname(listener, (void *)&address, &size)) {
        perror("listen");
        return 1;
    }
    watch(poll, listener, LISTENER);
    watch(poll, STDIN_FILENO, INPUT);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);

    for (;;) {
        static char buffer[65536];
        struct epoll_event events[EVENTS];
        double between = pace > 0 ? pace : took * 3 < 0.002 ? 0.002 : took * 3 > 0.05 ? 0.05 : took * 3;
        double wait = waiting ? last + between - now() : 1;
        int found = epoll_wait(poll, events, EVENTS, wait > 0 ? (int)(wait * 1000) + 1 : 0);
        for (int i = 0; i < found; i++) {
            int who = events[i].data.fd;
            if (who == INPUT)
                return 0;
            if (who == LISTENER) {
                int fd;
                while (count < most && (fd = accept4(listener, 0, 0, SOCK_NONBLOCK)) >= 0) {
                    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                    clients[count] = (struct client){.fd = fd, .out = malloc(room)};
                    watch(poll, fd, count++);
                }
                continue;
            }
            ssize_t got = recv(clients[who].fd, buffer, sizeof buffer, 0);
            if (got <= 0) {
                epoll_ctl(poll, EPOLL_CTL_DEL, clients[who].fd, 0);
                continue;
            }
            clients[who].moves += got / REQUEST;
            waiting = 1;
        }
        if (waiting && now() >= last + between) {
            waiting = 0;
            last = now();
            took = turn(clients, count, neighbours, room);
        }
    }
}
