#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Their numbers are the same on all architectures.
enum { LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446 };

// --- Files ---------------------------------------------------------------------------------------

// The kernel's bits for accesses, with the version that introduced them; older headers lack some.
enum {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_REMOVE_DIR = 1 << 4,
    FS_REMOVE_FILE = 1 << 5,
    FS_MAKE_DIR = 1 << 7,
    FS_MAKE_REG = 1 << 8,
    FS_FIRST = (1 << 13) - 1, // all bits of version 1
    FS_REFER = 1 << 13,       // version 2: moving from one directory to another
    FS_TRUNCATE = 1 << 14,    // version 3
};

#define NET_BIND UINT64_C(1) // version 4: TCP
#define NET_CONNECT UINT64_C(2)
#define SCOPE_ALL UINT64_C(3) // version 6: abstract sockets, and signals to other processes

#define READS (FS_READ_FILE | FS_READ_DIR)
#define WRITES                                                                                     \
    (READS | FS_WRITE_FILE | FS_REMOVE_FILE | FS_REMOVE_DIR | FS_MAKE_REG | FS_MAKE_DIR |          \
     FS_TRUNCATE)

// struct landlock_ruleset_attr, which grows with the kernel.
struct ruleset {
    uint64_t files, network, scoped;
};

void sandbox_begin(struct sandbox *sandbox, enum sandbox_talk talk)
{
    *sandbox = (struct sandbox){.talk = talk, .ruleset = -1};
    uint64_t network = NET_CONNECT | (talk == SANDBOX_LISTENS ? 0 : NET_BIND);
    long version =
        syscall(LANDLOCK_CREATE, NULL, (size_t)0, (unsigned)LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return;
    if (talk != SANDBOX_STARTS) {
        sandbox->handled = FS_FIRST;
        sandbox->handled |= version >= 2 ? FS_REFER : 0;
        sandbox->handled |= version >= 3 ? FS_TRUNCATE : 0;
    }
    const struct ruleset rules = {
        .files = sandbox->handled,
        .network = version >= 4 ? network : 0,
        .scoped = version >= 6 ? SCOPE_ALL : 0,
    };
    size_t size_bytes = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    sandbox->ruleset = (int)syscall(LANDLOCK_CREATE, &rules, size_bytes, 0u);
}

void sandbox_allow(const struct sandbox *sandbox, int fd, enum sandbox_access access)
{
    struct stat about;
    if (sandbox->ruleset < 0 || fd < 0 || fstat(fd, &about) != 0)
        return;
    uint64_t allowed = access == SANDBOX_WRITE ? WRITES : READS;
    if (!S_ISDIR(about.st_mode)) // a rule for a file may have only some of them
        allowed &= FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE;
    const struct landlock_path_beneath_attr rule = {.allowed_access = allowed & sandbox->handled,
                                                    .parent_fd = fd};
    syscall(LANDLOCK_ADD, sandbox->ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0u);
}

void sandbox_allow_path(const struct sandbox *sandbox, const char *path, enum sandbox_access access)
{
    if (sandbox->ruleset < 0)
        return;
    int fd = open(path, O_PATH | O_CLOEXEC);
    sandbox_allow(sandbox, fd, access);
    if (fd >= 0)
        close(fd);
}

// --- Calls ---------------------------------------------------------------------------------------

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define NUMBERS_END 0x40000000 // above are the numbers of another ABI
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define NUMBERS_END UINT32_MAX
#endif

#ifdef ARCHITECTURE

// Calls that trawl never makes, and that an attacker in the process would need.
static const uint32_t refused[] = {
    SYS_execve,      SYS_execveat,          SYS_ptrace,      SYS_socket,
    SYS_socketpair,  SYS_connect,           SYS_bind,        SYS_process_vm_readv,
    SYS_add_key,     SYS_process_vm_writev, SYS_mount,       SYS_umount2,
    SYS_bpf,         SYS_perf_event_open,   SYS_userfaultfd, SYS_keyctl,
    SYS_init_module, SYS_finit_module,      SYS_kexec_load,  SYS_setns,
    SYS_unshare,     SYS_pivot_root,        SYS_chroot,      SYS_request_key,
};

enum { FILTER_MAX = 5 + 2 * ARRAY_COUNT(refused) + 1 };

static bool filter_calls(enum sandbox_talk talk)
{
    struct sock_filter filter[FILTER_MAX];
    unsigned short count = 0;
    const struct sock_filter refuse =
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA));
    filter[count++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0, 2);
    filter[count++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, NUMBERS_END, 0, 1);
    filter[count++] = refuse;
    for (size_t i = 0; i < ARRAY_COUNT(refused); i++) {
        bool is_for_sockets = refused[i] == SYS_socket || refused[i] == SYS_bind;
        bool is_for_programs = refused[i] == SYS_execve || refused[i] == SYS_execveat;
        if ((is_for_sockets && talk == SANDBOX_LISTENS) ||
            (is_for_programs && talk == SANDBOX_STARTS))
            continue;
        filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i], 0, 1);
        filter[count++] = refuse;
    }
    filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {count, filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

static bool filter_calls(enum sandbox_talk talk)
{
    (void)talk;
    return false;
}

#endif

void sandbox_enter(struct sandbox *sandbox)
{
    // Without this, unprivileged processes can use neither Landlock nor seccomp.
    bool can = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    if (can && sandbox->ruleset >= 0)
        syscall(LANDLOCK_RESTRICT, sandbox->ruleset, 0u);
    if (sandbox->ruleset >= 0)
        close(sandbox->ruleset);
    sandbox->ruleset = -1;
    if (can)
        (void)filter_calls(sandbox->talk);
}
