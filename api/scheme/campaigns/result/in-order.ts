/** Numbers from the smallest to the largest, each once. */
export function inOrder(numbers: Iterable<number>): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}
