#ifndef KIND_TOY_H
#define KIND_TOY_H

extern const struct trace_kind toy_kind;

#endif
