import { encode } from 'gpt-tokenizer/encoding/o200k_base'

/** How many tokens a language model reads in a text (o200k, as GPT-4o and later count). */
export const countTokens = (text: string): number => encode(text).length
