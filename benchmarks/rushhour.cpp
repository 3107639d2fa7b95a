// The clusters of Rush Hour boards: the reference of the row "components".
//
//     g++ -O3 -march=native -std=c++20 -o rushhour benchmarks/rushhour.cpp && ./rushhour 5
//
// A board is one word: five bits a line (the rows, then the columns) say how its pieces stand. All packed boards
// (no piece can move left or up) are listed; from each its cluster is explored, by slides of any length, until a
// packed board that is listed before it is met. Prints clusters, boards, solvable ones, the most moves.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <vector>

static int n, lines, red;
struct Move { uint64_t free; int to; };
struct Arrangement { std::vector<std::pair<int, int>> pieces; };  // where each begins, and its length
static std::vector<Arrangement> kinds;
static std::map<std::vector<std::pair<int, int>>, int> number;
static std::vector<std::vector<uint64_t>> mask, left_of;
static std::vector<std::vector<std::vector<Move>>> moves;
static int exit_kind;

static void arrange(int at, std::vector<std::pair<int, int>> &pieces, int covered) {
  if (at >= n) {
    if (covered < n) {
      number[pieces] = static_cast<int>(kinds.size());
      kinds.push_back({pieces});
    }
    return;
  }
  arrange(at + 1, pieces, covered);
  for (int length = 2; length <= 3 && at + length <= n; length++) {
    pieces.push_back({at, length});
    arrange(at + length, pieces, covered + length);
    pieces.pop_back();
  }
}

static uint64_t cell(int line, int place) { return 1ull << (line < n ? line * n + place : place * n + line - n); }

static void tables() {
  lines = 2 * n;
  red = (n - 1) / 2;
  std::vector<std::pair<int, int>> none;
  arrange(0, none, 0);
  exit_kind = number[{{n - 2, 2}}];
  mask.assign(lines, std::vector<uint64_t>(kinds.size()));
  left_of = mask;
  moves.assign(lines, std::vector<std::vector<Move>>(kinds.size()));
  for (int line = 0; line < lines; line++)
    for (size_t kind = 0; kind < kinds.size(); kind++) {
      const auto &pieces = kinds[kind].pieces;
      for (size_t piece = 0; piece < pieces.size(); piece++) {
        const auto [start, length] = pieces[piece];
        for (int k = 0; k < length; k++) mask[line][kind] |= cell(line, start + k);
        if (start) left_of[line][kind] |= cell(line, start - 1);
        for (int side : {-1, 1}) {
          uint64_t free = 0;
          for (int step = side;; step += side) {
            const int place = side < 0 ? start + step : start + length - 1 + step;
            if (place < 0 || place >= n) break;
            free |= cell(line, place);
            auto moved = pieces;
            moved[piece].first += step;
            if (piece && moved[piece - 1].first + moved[piece - 1].second > moved[piece].first) break;
            if (piece + 1 < moved.size() && moved[piece].first + length > moved[piece + 1].first) break;
            moves[line][kind].push_back({free, number[moved]});
          }
        }
      }
    }
}

static int kind_of(uint64_t board, int line) { return static_cast<int>(board >> 5 * line & 31); }

static bool packed(uint64_t board) {
  uint64_t covered = 0, needed = 0;
  for (int line = 0; line < lines; line++) {
    covered |= mask[line][kind_of(board, line)];
    needed |= left_of[line][kind_of(board, line)];
  }
  return !(needed & ~covered);
}

static std::vector<uint64_t> listed;
static void list(int line, uint64_t board, uint64_t covered) {
  if (line == lines) {
    if (packed(board)) listed.push_back(board);
    return;
  }
  for (size_t kind = 0; kind < kinds.size(); kind++) {
    if (line == red && (kinds[kind].pieces.size() != 1 || kinds[kind].pieces[0].second != 2)) continue;
    if (mask[line][kind] & covered) continue;
    list(line + 1, board | uint64_t(kind) << 5 * line, covered | mask[line][kind]);
  }
}

// A set of boards with numbers, which forgets all of them at once.
struct Table {
  std::vector<uint64_t> boards;
  std::vector<std::pair<uint32_t, uint32_t>> slots = std::vector<std::pair<uint32_t, uint32_t>>(1 << 12);
  uint32_t age = 0;
  void clear() { boards.clear(); age++; }
  static uint64_t mix(uint64_t x) {
    x *= 0x9E3779B97F4A7C15ull;
    return (x ^ x >> 29) * 0xBF58476D1CE4E5B9ull >> 20;
  }
  uint32_t add(uint64_t board) {
    if (boards.size() * 2 >= slots.size()) grow();
    size_t at = mix(board) & (slots.size() - 1);
    while (slots[at].first == age && boards[slots[at].second] != board) at = (at + 1) & (slots.size() - 1);
    if (slots[at].first != age) {
      slots[at] = {age, static_cast<uint32_t>(boards.size())};
      boards.push_back(board);
    }
    return slots[at].second;
  }
  void grow() {
    slots.assign(slots.size() * 2, {0, 0});
    age = 1;
    for (uint32_t i = 0; i < boards.size(); i++) {
      size_t at = mix(boards[i]) & (slots.size() - 1);
      while (slots[at].first == age) at = (at + 1) & (slots.size() - 1);
      slots[at] = {age, i};
    }
  }
};

int main(int count, char **given) {
  n = count > 1 ? std::atoi(given[1]) : 5;
  tables();
  list(0, 0, 0);
  Table known, table;
  known.age = 1;
  for (uint64_t board : listed) known.add(board);
  long clusters = 0, boards = 0, solvable = 0, visited = 0;
  int most = 0;
  std::vector<uint32_t> begin, edges, depth, queue;
  for (uint32_t first = 0; first < listed.size(); first++) {
    table.clear();
    table.add(listed[first]);
    begin.assign(1, 0);
    edges.clear();
    bool lowest = true;
    for (uint32_t at = 0; lowest && at < table.boards.size(); at++) {
      const uint64_t board = table.boards[at];
      uint64_t covered = 0;
      for (int line = 0; line < lines; line++) covered |= mask[line][kind_of(board, line)];
      for (int line = 0; lowest && line < lines; line++)
        for (const auto &[free, to] : moves[line][kind_of(board, line)]) {
          if (free & covered) continue;
          const uint64_t next = (board & ~(31ull << 5 * line)) | uint64_t(to) << 5 * line;
          const uint32_t before = static_cast<uint32_t>(table.boards.size()), place = table.add(next);
          edges.push_back(place);
          if (place == before && packed(next) && known.add(next) < first) {
            lowest = false;
            break;
          }
        }
      begin.push_back(static_cast<uint32_t>(edges.size()));
    }
    visited += static_cast<long>(table.boards.size());
    if (!lowest) continue;
    clusters++;
    boards += static_cast<long>(table.boards.size());
    depth.assign(table.boards.size(), ~0u);
    queue.clear();
    for (uint32_t at = 0; at < table.boards.size(); at++)
      if (kind_of(table.boards[at], red) == exit_kind) {
        depth[at] = 0;
        queue.push_back(at);
      }
    if (queue.empty()) continue;
    solvable++;
    for (size_t head = 0; head < queue.size(); head++)
      for (uint32_t e = begin[queue[head]]; e < begin[queue[head] + 1]; e++)
        if (depth[edges[e]] == ~0u) {
          depth[edges[e]] = depth[queue[head]] + 1;
          queue.push_back(edges[e]);
        }
    if (static_cast<int>(depth[queue.back()]) > most) most = static_cast<int>(depth[queue.back()]);
  }
  std::printf("%zu %ld %ld %ld %d %ld %f\n", listed.size(), clusters, boards, solvable, most, visited,
              double(std::clock()) / CLOCKS_PER_SEC);
}
