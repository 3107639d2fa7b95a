// All fair puzzles by projection, plainly: sets of places by a Gray code, one exclusive-or of a key for each solution
// and step, and a table of the keys of each set. Reads "solutions places", then the values of each solution (0 to 7).
// Prints fair puzzles by number of clues, then CPU seconds.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <random>
#include <vector>

int main() {
    int solutions, places;
    if (std::scanf("%d %d", &solutions, &places) != 2 || places > 30) return 1;
    std::vector<std::vector<uint64_t>> part(places, std::vector<uint64_t>(solutions));
    std::mt19937_64 random(1);
    std::vector<std::vector<uint64_t>> code(places, std::vector<uint64_t>(8));
    for (auto &own : code)
        for (auto &word : own) word = random();
    for (int solution = 0; solution < solutions; solution++)
        for (int place = 0; place < places; place++) {
            int value;
            if (std::scanf("%d", &value) != 1 || value < 0 || value > 7) return 1;
            part[place][solution] = code[place][value];
        }
    const clock_t begun = std::clock();
    int bits = 1;
    while ((1 << bits) < 2 * solutions) bits++;
    const uint64_t size = 1ull << bits;
    std::vector<uint64_t> keys(solutions, random()), table(size);
    std::vector<uint32_t> stamp(size, 0), times(size);
    std::vector<long> fair(places + 1, 0);
    uint32_t gray = 0;
    for (uint64_t step = 1; step <= 1ull << places; step++) {
        long single = 0;
        const auto now = static_cast<uint32_t>(step);
        for (int solution = 0; solution < solutions; solution++) {
            const uint64_t key = keys[solution];
            uint64_t slot = key >> (64 - bits);
            while (stamp[slot] == now && table[slot] != key) slot = (slot + 1) & (size - 1);
            if (stamp[slot] != now) {
                stamp[slot] = now;
                table[slot] = key;
                times[slot] = 1;
                single++;
            } else if (++times[slot] == 2) {
                single--;
            }
        }
        fair[__builtin_popcount(gray)] += single;
        const int place = __builtin_ctzll(step);
        if (place >= places) break;
        gray ^= 1u << place;
        for (int solution = 0; solution < solutions; solution++) keys[solution] ^= part[place][solution];
    }
    for (const long count : fair) std::printf("%ld ", count);
    std::printf("%.3f\n", static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC);
}
