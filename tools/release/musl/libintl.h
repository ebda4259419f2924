// Stands in for the header that musl has not: elfutils words its errors by it, which stay English.
#pragma once

#define dgettext(domain, text) (text)
#define gettext(text) (text)
