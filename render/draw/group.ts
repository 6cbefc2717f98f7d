/** What is drawn into. Every mark of a chart is made with these three steps; `append` gives the new one. */
export interface Group {
  append(name: string): Group
  attr(name: string, value: string | number): this
  text(text: string): this
}
