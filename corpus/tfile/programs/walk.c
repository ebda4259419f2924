// A tree that is built, walked and summed up: recursion, locals, globals, a buffer on the stack.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    int key;
    double weight;
    struct node *left, *right;
};

int visits;
float mean;
unsigned long long digest = 0x123456789abcdefULL;
char label[16];

__attribute__((noinline)) int leaf(int value, const char *text)
{
    char copy[24];
    snprintf(copy, sizeof copy, "%s-%d", text, value);
    visits++;
    mean += ((float)value - mean) / (float)visits;
    digest = digest * 31 + (unsigned char)copy[0] + strlen(copy);
    memcpy(label, copy, sizeof label - 1);
    return value * 2 + (int)strlen(copy);
}

__attribute__((noinline)) struct node *insert(struct node *tree, int key)
{
    if (!tree) {
        tree = calloc(1, sizeof *tree);
        tree->key = key;
        tree->weight = key / 3.0;
    } else if (key < tree->key) {
        tree->left = insert(tree->left, key);
    } else {
        tree->right = insert(tree->right, key);
    }
    return tree;
}

__attribute__((noinline)) long walk(const struct node *tree, int depth)
{
    if (!tree)
        return 0;
    long sum = walk(tree->left, depth + 1);
    sum += leaf(tree->key, depth % 2 ? "odd" : "even");
    return sum + walk(tree->right, depth + 1);
}

__attribute__((noinline)) void finish(long sum)
{
    printf("%ld %f %llx\n", sum, (double)mean, digest);
}

int main(int argc, char **argv)
{
    struct node *tree = NULL;
    int count = argc > 1 ? atoi(argv[1]) : 40;
    unsigned state = 7;
    for (int i = 0; i < count; i++) {
        state = state * 1103515245 + 12345;
        tree = insert(tree, (int)(state >> 16) % 1000);
    }
    finish(walk(tree, 0));
    return 0;
}
