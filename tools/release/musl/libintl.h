// Replaces a header that musl does not have: elfutils translates its errors with it; they stay
// English.
#pragma once

#define dgettext(domain, text) (text)
#define gettext(text) (text)
