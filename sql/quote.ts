/** A string as an SQL literal; needed where a statement takes no parameters (COPY, read_parquet in a view). */
export const quotedString = (text: string): string => `'${text.replaceAll("'", "''")}'`

export const quotedIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`
