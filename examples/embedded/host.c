// The machine that builds.
#include "platform.h"

#include <stdio.h>

void print(const char *text) { fputs(text, stdout); }
