/** An SQL literal, for statements that take no parameters (COPY, read_parquet in a view). */
export const quotedString = (text: string): string => `'${text.replaceAll("'", "''")}'`

export const quotedIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`
