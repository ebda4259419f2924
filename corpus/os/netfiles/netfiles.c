// A program for FreeRTOS with a network (lwIP, over its loop) and a file system (littlefs, in
// memory): an echo by TCP, datagrams by UDP, and files that two tasks write, read again and remove.
// It checks what comes through, and runs to an end.
#include "FreeRTOS.h"
#include "semphr.h"
#include "task.h"

#include "lfs.h"
#include "lwip/api.h"
#include "lwip/tcpip.h"

#include <string.h>

enum { ROUNDS = 1, MESSAGES = 1, DATAGRAMS = 1, FILES = 1, TEXT_BYTES = 40, PORT = 7 };

volatile unsigned failed_line, bytes_echoed, datagrams_received, files_read, finished;

#define MUST(holds)                                                                                \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            failed_line = __LINE__;                                                                \
            for (;;)                                                                               \
                ;                                                                                  \
        }                                                                                          \
    } while (0)

static void end_task(void)
{
    finished++;
    vTaskDelete(NULL);
}

// --- The network ---------------------------------------------------------------------------------

static void echo(void *unused)
{
    struct netconn *listener = netconn_new(NETCONN_TCP), *peer;
    struct netbuf *got;
    void *data;
    u16_t length;
    MUST(listener && netconn_bind(listener, IP_ADDR_ANY, PORT) == ERR_OK);
    MUST(netconn_listen(listener) == ERR_OK);
    for (;;) {
        MUST(netconn_accept(listener, &peer) == ERR_OK);
        while (netconn_recv(peer, &got) == ERR_OK) {
            do {
                netbuf_data(got, &data, &length);
                MUST(netconn_write(peer, data, length, NETCONN_COPY) == ERR_OK);
            } while (netbuf_next(got) >= 0);
            netbuf_delete(got);
        }
        netconn_delete(peer);
    }
}

static void talk(struct netconn *connection, unsigned number)
{
    char text[TEXT_BYTES];
    struct netbuf *got;
    void *data;
    u16_t length;
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + (i + number) % 26);
    MUST(netconn_write(connection, text, sizeof text, NETCONN_COPY) == ERR_OK);
    for (unsigned at = 0; at < sizeof text;) {
        MUST(netconn_recv(connection, &got) == ERR_OK);
        do {
            netbuf_data(got, &data, &length);
            MUST(at + length <= sizeof text && memcmp(data, text + at, length) == 0);
            at += length;
        } while (netbuf_next(got) >= 0);
        netbuf_delete(got);
    }
    bytes_echoed += sizeof text;
}

static void talkers(void *unused)
{
    ip_addr_t here;
    IP_ADDR4(&here, 127, 0, 0, 1);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct netconn *connection = netconn_new(NETCONN_TCP);
        MUST(connection && netconn_connect(connection, &here, PORT) == ERR_OK);
        for (unsigned i = 0; i < MESSAGES; i++)
            talk(connection, round + i);
        netconn_delete(connection);
    }
    end_task();
}

static void datagrams(void *unused)
{
    struct netconn *in = netconn_new(NETCONN_UDP), *out = netconn_new(NETCONN_UDP);
    ip_addr_t here;
    IP_ADDR4(&here, 127, 0, 0, 1);
    MUST(in && out && netconn_bind(in, IP_ADDR_ANY, PORT) == ERR_OK);
    for (unsigned i = 0; i < DATAGRAMS; i++) {
        struct netbuf *sent = netbuf_new(), *got;
        char *data = netbuf_alloc(sent, TEXT_BYTES), copy[TEXT_BYTES];
        MUST(data);
        memset(data, (int)(i + 1), TEXT_BYTES);
        MUST(netconn_sendto(out, sent, &here, PORT) == ERR_OK);
        netbuf_delete(sent);
        MUST(netconn_recv(in, &got) == ERR_OK);
        MUST(netbuf_copy(got, copy, sizeof copy) == sizeof copy);
        for (unsigned k = 0; k < sizeof copy; k++)
            MUST(copy[k] == (char)(i + 1));
        netbuf_delete(got);
        datagrams_received++;
    }
    netconn_delete(in);
    netconn_delete(out);
    end_task();
}

// --- The file system -----------------------------------------------------------------------------

enum { BLOCK_BYTES = 512, BLOCKS = 8 };

static uint8_t disk[BLOCKS * BLOCK_BYTES];
static SemaphoreHandle_t disk_mutex;
static lfs_t system_of_files;

static int read_disk(const struct lfs_config *c, lfs_block_t block, lfs_off_t at, void *to,
                     lfs_size_t size)
{
    memcpy(to, disk + block * BLOCK_BYTES + at, size);
    return 0;
}

static int write_disk(const struct lfs_config *c, lfs_block_t block, lfs_off_t at, const void *from,
                      lfs_size_t size)
{
    memcpy(disk + block * BLOCK_BYTES + at, from, size);
    return 0;
}

static int erase_disk(const struct lfs_config *c, lfs_block_t block)
{
    memset(disk + block * BLOCK_BYTES, 0xff, BLOCK_BYTES);
    return 0;
}

static int sync_disk(const struct lfs_config *c)
{
    return 0;
}

static int lock_disk(const struct lfs_config *c)
{
    return xSemaphoreTake(disk_mutex, portMAX_DELAY) == pdTRUE ? 0 : LFS_ERR_IO;
}

static int unlock_disk(const struct lfs_config *c)
{
    xSemaphoreGive(disk_mutex);
    return 0;
}

static const struct lfs_config disk_config = {
    .read = read_disk,
    .prog = write_disk,
    .erase = erase_disk,
    .sync = sync_disk,
    .lock = lock_disk,
    .unlock = unlock_disk,
    .read_size = 16,
    .prog_size = 16,
    .block_size = BLOCK_BYTES,
    .block_count = BLOCKS,
    .cache_size = 64,
    .lookahead_size = 8,
    .block_cycles = -1,
};

static void files(void *name)
{
    char path[] = "x0", text[TEXT_BYTES];
    path[0] = *(char *)name;
    for (unsigned i = 0; i < FILES; i++) {
        lfs_file_t file;
        path[1] = (char)('0' + i);
        MUST(lfs_file_open(&system_of_files, &file, path, LFS_O_RDWR | LFS_O_CREAT) == 0);
        memset(text, path[0] + (int)i, sizeof text);
        MUST(lfs_file_write(&system_of_files, &file, text, sizeof text) == sizeof text);
        MUST(lfs_file_seek(&system_of_files, &file, 0, LFS_SEEK_SET) == 0);
        MUST(lfs_file_read(&system_of_files, &file, text, sizeof text) == sizeof text);
        MUST(text[0] == (char)(path[0] + i) && text[sizeof text - 1] == text[0]);
        MUST(lfs_file_close(&system_of_files, &file) == 0);
        MUST(lfs_remove(&system_of_files, path) == 0);
        files_read++;
    }
    end_task();
}

// --- The program ---------------------------------------------------------------------------------

static void start_talking(void *unused)
{
    xTaskCreate(echo, "echo", 250, NULL, 3, NULL);
    xTaskCreate(talkers, "talkers", 250, NULL, 2, NULL);
    xTaskCreate(datagrams, "datagrams", 250, NULL, 2, NULL);
}

static void start(void *unused)
{
    tcpip_init(start_talking, NULL);
    vTaskPrioritySet(NULL, 1); // the network first
    MUST(lfs_format(&system_of_files, &disk_config) == 0);
    MUST(lfs_mount(&system_of_files, &disk_config) == 0);
    xTaskCreate(files, "files a", 400, "a", 1, NULL);
    xTaskCreate(files, "files b", 400, "b", 1, NULL);
    end_task();
}

int main(void)
{
    disk_mutex = xSemaphoreCreateMutex();
    xTaskCreate(start, "start", 400, NULL, 3, NULL);
    vTaskStartScheduler();
    return 0;
}

extern unsigned _estack, __data_start__, __data_end__, __data_load__;
void SVC_Handler(void);
void PendSV_Handler(void);
void SysTick_Handler(void);

static void fault(void)
{
    MUST(false);
}

void Reset_Handler(void) // RAM is zero
{
    for (unsigned *to = &__data_start__, *from = &__data_load__; to < &__data_end__;)
        *to++ = *from++;
    main();
}

__attribute__((section(".isr_vector"), used)) static void *const vectors[16] = {
    &_estack, Reset_Handler,      fault, fault, fault,          fault,
    fault,    [11] = SVC_Handler, fault, NULL,  PendSV_Handler, SysTick_Handler};
