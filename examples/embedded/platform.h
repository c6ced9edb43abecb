// What the program needs of the machine.
#ifndef PLATFORM_H
#define PLATFORM_H

void print(const char *text);

#endif // PLATFORM_H
