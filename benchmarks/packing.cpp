// All covers of a board by pieces that are used at most once each: the lowest empty cell first, masks of 128 bits.
// Reads "placements cells", then for each placement "piece size cells ...". Prints covers, nodes, CPU seconds.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

using Mask = unsigned __int128;

static std::vector<Mask> ways[128][32];
static Mask full;
static int pieces;
static long covers, nodes;

static int lowest(Mask cells) {
    const auto low = static_cast<uint64_t>(cells);
    return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll(static_cast<uint64_t>(cells >> 64));
}

static void search(Mask filled, unsigned used) {
    const int cell = lowest(~filled);
    for (int piece = 0; piece < pieces; piece++) {
        if (used >> piece & 1) continue;
        for (const Mask way : ways[cell][piece]) {
            if (way & filled) continue;
            nodes++;
            if ((filled | way) == full) covers++;
            else search(filled | way, used | 1u << piece);
        }
    }
}

int main() {
    int placements, cells;
    if (std::scanf("%d %d", &placements, &cells) != 2 || cells > 127) return 1;
    while (placements--) {
        int piece, size, cell;
        Mask mask = 0;
        if (std::scanf("%d %d", &piece, &size) != 2 || piece > 31) return 1;
        while (size--) {
            if (std::scanf("%d", &cell) != 1) return 1;
            mask |= Mask(1) << cell;
        }
        ways[lowest(mask)][piece].push_back(mask);
        if (piece >= pieces) pieces = piece + 1;
    }
    full = (Mask(1) << cells) - 1;
    const std::clock_t begun = std::clock();
    search(0, 0);
    std::printf("%ld %ld %f\n", covers, nodes, double(std::clock() - begun) / CLOCKS_PER_SEC);
}
