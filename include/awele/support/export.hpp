// Marks what the shared library libawele_probe offers to other programs; everything else in it is hidden.
#pragma once

#define AWELE_API __attribute__((visibility("default")))
