/** A row of docs/agreement.md: our formula on a vendor's inputs against its series. */
export interface Comparison {
  readonly vendor: string
  readonly days: number
  readonly from: string
  readonly to: string
  /** Relative difference; `0` if equal. */
  readonly median: string
  readonly greatest: string
  /** Empty if equal. */
  readonly why: string
}
