// How many boards of sliding tiles are so many moves from the solved one: the reference of the row "tiles".
//
//     g++ -O3 -march=native -o tiles benchmarks/tiles.cpp && ./tiles 3 4
//
// Complete breadth-first search over ranks with three tables of one bit a board: reached, the layer, the next.
// A board is a choice of all but two of the tiles in the order in which they are read, and the cell of the
// hole; the last two tiles follow from the parity. Horizontal moves keep the choice, vertical ones rank it anew.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static int rows, columns, cells, tiles;
static int64_t weight[32];

// The tiles of a choice, counted from 0, with the last two ascending; returns whether the order is odd.
static int read(int64_t choice, int *order) {
  uint32_t left = (1u << tiles) - 1;
  int wrong = 0;
  for (int i = 0; i < tiles - 2; i++) {
    int digit = static_cast<int>(choice / weight[i]);
    choice %= weight[i];
    wrong += digit;
    uint32_t rest = left;
    for (int k = 0; k < digit; k++) rest &= rest - 1;
    order[i] = std::countr_zero(rest);
    left &= ~(1u << order[i]);
  }
  order[tiles - 2] = std::countr_zero(left);
  order[tiles - 1] = 31 - std::countl_zero(left);
  return wrong & 1;
}

static int64_t rank_of(const int *order) {
  uint32_t left = (1u << tiles) - 1;
  int64_t rank = 0;
  for (int i = 0; i < tiles - 2; i++) {
    rank += std::popcount(left & ((1u << order[i]) - 1)) * weight[i];
    left &= ~(1u << order[i]);
  }
  return rank;
}

int main(int count, char **given) {
  rows = count > 1 ? std::atoi(given[1]) : 3;
  columns = count > 2 ? std::atoi(given[2]) : 4;
  cells = rows * columns;
  tiles = cells - 1;
  int64_t size = 1;
  for (int i = tiles - 3; i >= 0; i--) {
    weight[i] = size;
    size *= tiles - i;
  }
  const int64_t boards = size * cells;
  std::vector<uint64_t> reached((boards + 63) / 64), layer(reached.size()), next(reached.size());
  auto mark = [&](int64_t rank) {
    uint64_t bit = 1ull << (rank & 63);
    if (!(reached[rank >> 6] & bit)) {
      reached[rank >> 6] |= bit;
      next[rank >> 6] |= bit;
    }
  };
  const int64_t solved = cells - 1;
  reached[solved >> 6] |= 1ull << (solved & 63);
  layer[solved >> 6] |= 1ull << (solved & 63);
  int64_t total = 1;
  for (int depth = 0;; depth++) {
    int64_t found = 0, known = -1;
    int order[32], odd = 0;
    for (size_t word = 0; word < layer.size(); word++) {
      found += std::popcount(layer[word]);
      for (uint64_t bits = layer[word]; bits; bits &= bits - 1) {
        const int64_t rank = static_cast<int64_t>(word) * 64 + std::countr_zero(bits);
        const int64_t choice = rank / cells;
        const int hole = static_cast<int>(rank % cells), line = hole / columns, column = hole % columns;
        if (choice != known) {
          odd = read(choice, order);
          known = choice;
        }
        if (odd != (((rows - 1 - line) * (columns - 1)) & 1)) {
          int last = order[tiles - 1];
          order[tiles - 1] = order[tiles - 2];
          order[tiles - 2] = last;
          odd = 1 - odd;
        }
        if (column > 0) mark(rank - 1);
        if (column < columns - 1) mark(rank + 1);
        int moved[32];
        if (line > 0) {
          for (int i = 0; i < tiles; i++) moved[i] = order[i];
          for (int i = hole - columns; i < hole - 1; i++) moved[i] = order[i + 1];
          moved[hole - 1] = order[hole - columns];
          mark(rank_of(moved) * cells + hole - columns);
        }
        if (line < rows - 1) {
          for (int i = 0; i < tiles; i++) moved[i] = order[i];
          for (int i = hole + 1; i < hole + columns; i++) moved[i] = order[i - 1];
          moved[hole] = order[hole + columns - 1];
          mark(rank_of(moved) * cells + hole + columns);
        }
      }
      layer[word] = 0;
    }
    if (!found) break;
    std::printf("%lld\n", static_cast<long long>(found));
    total += depth ? found : 0;
    layer.swap(next);
  }
  std::fprintf(stderr, "%lld boards\n", static_cast<long long>(total));
}
