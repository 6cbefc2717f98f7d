import type { FormulaNode } from '#sql/formula/parse.ts'

/** How many numbers, metrics, operators and calls a part of a formula consists of. */
export function nodesOf(node: FormulaNode): number {
  switch (node.kind) {
    case 'number':
    case 'metric':
      return 1
    case 'pointwise':
      return node.operands.reduce((sum, operand) => sum + nodesOf(operand), 1)
    case 'cumulative':
      return 1 + nodesOf(node.operand)
    case 'rolling':
      // The window is a number, too.
      return 2 + nodesOf(node.operand)
  }
}
