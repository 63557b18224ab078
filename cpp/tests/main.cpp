// Runs all tests that it is linked with, and says how long each group takes.

#include <chrono>
#include <cstdio>

#include "tests/check.hpp"

int main() {
    using namespace chanceless::tests;
    for (const TestGroup& group : TestGroup::all()) {
        const auto start = std::chrono::steady_clock::now();
        group.run();
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        std::printf("%-12s %6.2f s\n", group.name, seconds.count());
        std::fflush(stdout);
    }
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
