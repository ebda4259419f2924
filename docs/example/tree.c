// Shows the calls of a lane down to a depth, from an index, page by page: libtrawl tells what comes
// next in a call, and how many calls lie within each, so that those are never walked.
//
//     cc tree.c $(pkg-config --cflags --libs trawl) -o tree
//     ./tree run.tarmac.index 0 3
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <trawl.h>

enum { PAGE = 64, DEPTH_MAX = 256 };

struct page {
    uint64_t call[PAGE], entry[PAGE], exit[PAGE], pc[PAGE], depth[PAGE], inside[PAGE];
    size_t count;
};

struct tree {
    struct trawl_index *index;
    uint64_t lane, depth; // that is shown
    struct trawl_error err;
};

// Call `first` and those that come after it in the call around it, as many as a page holds.
static enum trawl_status read_page(struct tree *tree, uint64_t first, struct page *page)
{
    const struct trawl_call_columns columns = {
        .call = page->call,
        .entry = page->entry,
        .exit = page->exit,
        .pc = page->pc,
        .depth = page->depth,
        .inside = page->inside,
    };
    return trawl_siblings(tree->index, tree->lane, first, PAGE, &columns, &page->count, &tree->err);
}

static void show(const struct tree *tree, const struct page *page, size_t row, uint64_t depth)
{
    struct trawl_symbol symbol;
    uint64_t pc = page->pc[row] & ~UINT64_C(1);
    printf("%*s", 2 * (int)(depth - 1), "");
    if (trawl_symbol_at(tree->index, pc, &symbol, NULL) == TRAWL_OK)
        printf("%s", symbol.name);
    else
        printf("0x%" PRIx64, pc);
    printf(" %" PRIu64 "-%" PRIu64, page->entry[row], page->exit[row]);
    if (depth == tree->depth && page->inside[row])
        printf(" and %" PRIu64 " inside", page->inside[row]);
    printf("\n");
}

// Shows the calls from `first` on that lie in one call, and what is within them. After a full page
// may come what follows that call, which is less deep.
static enum trawl_status show_calls(struct tree *tree, uint64_t first, uint64_t depth)
{
    struct page page;
    enum trawl_status status;
    while ((status = read_page(tree, first, &page)) == TRAWL_OK && page.count &&
           page.depth[0] == depth) {
        for (size_t i = 0; i < page.count && status == TRAWL_OK; i++) {
            show(tree, &page, i, depth);
            if (depth < tree->depth && page.inside[i])
                status = show_calls(tree, page.call[i] + 1, depth + 1);
        }
        size_t last = page.count - 1;
        first = page.call[last] + page.inside[last] + 1;
        if (status != TRAWL_OK || page.count < PAGE)
            break;
    }
    return status;
}

int main(int argc, char **argv)
{
    struct tree tree = {0};
    struct trawl_info info;
    if (argc != 4) {
        fprintf(stderr, "usage: tree INDEX LANE DEPTH\n");
        return 2;
    }
    tree.lane = strtoull(argv[2], NULL, 0);
    tree.depth = strtoull(argv[3], NULL, 0);
    if (tree.depth > DEPTH_MAX) // each depth has a page in hand
        tree.depth = DEPTH_MAX;
    enum trawl_status status = trawl_open(&tree.index, argv[1], &tree.err);
    if (status == TRAWL_OK) {
        trawl_info(tree.index, &info);
        printf("%s, %" PRIu64 " events\n", info.kind, info.events);
        status = show_calls(&tree, 0, 1);
    }
    if (status != TRAWL_OK)
        fprintf(stderr, "tree: %s\n", tree.err.text);
    trawl_close(tree.index);
    return status == TRAWL_OK ? 0 : 1;
}
