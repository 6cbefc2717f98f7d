/** Colours that colour-blind readers can tell apart: never red against green. */
export const blue = '#3a86d8'
export const orange = '#e07b12'
export const red = '#c9405f'
export const teal = '#4fa7a0'
export const sand = '#c2ad3c'
export const grey = '#8a919c'
