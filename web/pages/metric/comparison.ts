/** A metric, by our formula on a vendor's inputs, beside what the vendor publishes; as docs/agreement.md writes it. */
export interface Comparison {
  readonly vendor: string
  readonly days: number
  readonly from: string
  readonly to: string
  /** Relative differences; `0` where the two are equal. */
  readonly median: string
  readonly greatest: string
  /** Empty where the two are equal. */
  readonly why: string
}
