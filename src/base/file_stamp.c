#include "base/file_stamp.h"

#include "base/clock.h"

#include <sys/stat.h>

static struct file_stamp stamp_of(const struct stat *info)
{
    return (struct file_stamp){
        .device = (uint64_t)info->st_dev,
        .inode = (uint64_t)info->st_ino,
        .size_bytes = (uint64_t)info->st_size,
        .mtime_ns = (uint64_t)info->st_mtim.tv_sec * NS_PER_S + (uint64_t)info->st_mtim.tv_nsec,
    };
}

struct file_stamp file_stamp_at(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? stamp_of(&info) : (struct file_stamp){0};
}

struct file_stamp file_stamp_of(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 ? stamp_of(&info) : (struct file_stamp){0};
}

bool file_stamp_is_none(const struct file_stamp *stamp)
{
    return !stamp->device && !stamp->inode;
}

bool file_stamp_is_same_file(const struct file_stamp *a, const struct file_stamp *b)
{
    return a->device == b->device && a->inode == b->inode;
}

bool file_stamp_equals(const struct file_stamp *a, const struct file_stamp *b)
{
    return file_stamp_is_same_file(a, b) && a->size_bytes == b->size_bytes &&
           a->mtime_ns == b->mtime_ns;
}
