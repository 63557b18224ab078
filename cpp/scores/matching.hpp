#pragma once

// The best one-to-one matching of rows and columns: as many samples as possible in matched cells.
//
// Every row i and every column j has a price, u_i >= 0 and v_j >= 0, such that u_i + v_j >= x_ij for each cell; the sum
// of all prices bounds every matching. Rows come one by one. Each takes the column to which a shortest path leads, over
// rows that are matched and may move to another column, or be left alone; the length of a cell is u_i + v_j - x_ij.
// Then prices change by integers, such that u_i + v_j = x_ij for matched cells, and 0 is the price of what is not
// matched: the matching reaches the bound. (Kuhn 1955; shortest paths: Edmonds and Karp 1972.)

#include "counting/listed_cells.hpp"

namespace chanceless::scores {

/// The places of the cells of a best matching, ascending. Of several, the cells and their order decide.
std::vector<std::int64_t> best_matching(const counting::ListedCells& cells, const CancellationCheck& check_cancelled);

}  // namespace chanceless::scores
