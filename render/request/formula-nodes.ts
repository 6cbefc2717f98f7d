import type { FormulaNode } from '#sql/formula/parse.ts'

/** How many numbers, metrics, operators and calls a part of a formula consists of. */
export function countNodes(node: FormulaNode): number {
  switch (node.kind) {
    case 'number':
    case 'metric':
      return 1
    case 'pointwise':
      return node.operands.reduce((sum, operand) => sum + countNodes(operand), 1)
    case 'cumulative':
      return 1 + countNodes(node.operand)
    case 'rolling':
      // The window is a number, too.
      return 2 + countNodes(node.operand)
  }
}
