/** A picture of at most 256 colours; row by row one index into the palette per pixel. Index 0 is transparent. */
export interface IndexedImage {
  readonly width: number
  readonly height: number
  /** CSS colours of the form #rrggbb. */
  readonly palette: readonly string[]
  readonly pixels: Uint8Array
}
