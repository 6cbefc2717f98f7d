/** SQL literal, for statements without parameters (COPY, read_parquet in a view). */
export const quotedString = (text: string): string => `'${text.replaceAll("'", "''")}'`

export const quotedIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`
