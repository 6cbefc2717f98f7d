import { encode } from 'gpt-tokenizer/encoding/o200k_base'

/** Counts tokens of a language model (o200k, used by GPT-4o and later). */
export const countTokens = (text: string): number => encode(text).length
