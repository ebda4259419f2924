#include "report/colour_scale.h"

#include <stdio.h>

struct rgb {
    uint8_t parts[3];
};

struct hsv {
    double hue, saturation, value; // hue: 0 to 6
};

static const struct rgb share_scale[] = {
    {{255, 247, 236}}, {{254, 232, 200}}, {{253, 212, 158}}, {{253, 187, 132}}, {{252, 141, 89}},
    {{239, 101, 72}},  {{215, 48, 31}},   {{179, 0, 0}},     {{127, 0, 0}},
};

static const struct rgb change_scale[] = {
    {{142, 1, 82}},    {{197, 27, 125}},  {{222, 119, 174}}, {{241, 182, 218}},
    {{253, 224, 239}}, {{247, 247, 247}}, {{230, 245, 208}}, {{184, 225, 134}},
    {{127, 188, 65}},  {{77, 146, 33}},   {{39, 100, 25}},
};

static struct hsv hsv_of(struct rgb colour)
{
    unsigned most = 0, least = 0;
    for (unsigned i = 1; i < 3; i++) {
        most = colour.parts[i] > colour.parts[most] ? i : most;
        least = colour.parts[i] < colour.parts[least] ? i : least;
    }
    double chroma = (colour.parts[most] - colour.parts[least]) / 255.0;
    double value = colour.parts[most] / 255.0;
    double turn = (colour.parts[(most + 1) % 3] - colour.parts[(most + 2) % 3]) / 255.0;
    double hue = 2.0 * most + (chroma > 0 ? turn / chroma : 0);
    return (struct hsv){hue < 0 ? hue + 6 : hue, value > 0 ? chroma / value : 0, value};
}

static uint8_t part_of(double share)
{
    return (uint8_t)(share * 255.0 + 0.5);
}

static struct rgb rgb_of(struct hsv colour)
{
    struct rgb rgb;
    double chroma = colour.value * colour.saturation;
    unsigned sixth = (unsigned)colour.hue;
    double within = colour.hue - (double)(sixth & ~1u);
    double second = chroma * (within < 1 ? within : 2 - within);
    double least = colour.value - chroma;
    unsigned first = sixth / 2;
    rgb.parts[first % 3] = part_of(least + (sixth % 2 ? second : chroma));
    rgb.parts[(first + 1) % 3] = part_of(least + (sixth % 2 ? chroma : second));
    rgb.parts[(first + 2) % 3] = part_of(least);
    return rgb;
}

// The shorter way round.
static double hue_between(double from, double to, double share)
{
    double way = to - from;
    way += way > 3 ? -6 : way < -3 ? 6 : 0;
    double hue = from + share * way;
    return hue < 0 ? hue + 6 : hue >= 6 ? hue - 6 : hue;
}

static void put_colour(char text[COLOUR_TEXT_BYTES], const struct rgb *scale, unsigned steps,
                       double place)
{
    place = place > 0 ? place : 0; // NaN too
    place = place < 1 ? place : 1;
    unsigned step = (unsigned)(place * steps);
    double share = place * steps - step;
    struct hsv from = hsv_of(scale[step]), to = hsv_of(scale[step < steps ? step + 1 : steps]);
    struct rgb colour =
        rgb_of((struct hsv){hue_between(from.hue, to.hue, share),
                            from.saturation + share * (to.saturation - from.saturation),
                            from.value + share * (to.value - from.value)});
    snprintf(text, COLOUR_TEXT_BYTES, "#%02X%02X%02X", colour.parts[0], colour.parts[1],
             colour.parts[2]);
}

void colour_of_share(char text[COLOUR_TEXT_BYTES], double share)
{
    put_colour(text, share_scale, ARRAY_COUNT(share_scale) - 1, share);
}

void colour_of_change(char text[COLOUR_TEXT_BYTES], double change)
{
    put_colour(text, change_scale, ARRAY_COUNT(change_scale) - 1, (change + 1) / 2);
}
