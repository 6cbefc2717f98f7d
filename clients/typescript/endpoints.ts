// Generated from the OpenAPI document by docs/write-client.ts: do not edit.

/** Metadata of an answer. */
export interface Meta {
  /** Published generation that all rows come from */
  generation: string
  /** Present if the generation of as_of is no longer kept: each value is the one that was published first. generation is the newest that had published by then */
  as_of_source?: 'first_published'
  /** The earlier generation that the values are compared with */
  compared_with?: string
  /** Present if chain and prices are simulated */
  simulated?: true
  /** Attribution that sources of market data require */
  attribution?: string
  /** The request or its formula reached further back than the caller's history, which begins on this date */
  history_limited_to?: string
  /** Fields whose grade is above that of the caller */
  withheld?: readonly string[]
  /** In X-Coinstrata-Meta, which is short: how many more fields are withheld */
  withheld_more?: number
  /** Tier that sees all withheld fields */
  withheld_tier?: 'pro' | 'enterprise'
  /** There are more rows: the parameter cursor that returns them */
  next_cursor?: string
  /** There are more rows: the parameter offset that returns them */
  next_offset?: number
  /** The request reached further back than the rows that are kept after blocks, which begin at this time */
  available_from?: string
  /** Of /v1/proof: what the list of hashes is, and who signed it */
  proof?: {
    /** Which bytes are hashed: only hashes of the same format can be compared */
    format: number
    network: string
    /** SHA-256 of the list of all days */
    sha256: string
    /** null if the operator does not sign */
    signature: {
      /** Ed25519 key, SubjectPublicKeyInfo in DER */
      public_key: string
      /** Ed25519 signature of format, network and sha256 */
      value: string
    } | null
  }
  /** Why there are no rows, or not the ones that were searched for */
  note?: string
}

/** Body of every error. */
export interface Failure {
  success: false
  error: {
    code: string
    message: string
    details?: Record<string, unknown>
  }
  /** Same as error.message */
  message: string
  /** With 429 and most 503: seconds to wait */
  retry_after?: number
  timestamp: string
}

export type AgeBand =
  | '24h'
  | '1d_1w'
  | '1w_1m'
  | '1m_3m'
  | '3m_6m'
  | '6m_12m'
  | '1y_2y'
  | '2y_3y'
  | '3y_5y'
  | '5y_7y'
  | '7y_10y'
  | '10y_plus'
export type Cohort =
  | AgeBand
  | 'lth'
  | 'sth'
  | '0_sats'
  | '1_1k_sats'
  | '1k_10k_sats'
  | '10k_100k_sats'
  | '100k_1m_sats'
  | '1m_10m_sats'
  | '10m_100m_sats'
  | '1_10_btc'
  | '10_100_btc'
  | '100_1k_btc'
  | '1k_10k_btc'
  | '10k_100k_btc'
  | '100k_plus_btc'
  | 'over_1k_sats'
  | 'under_1k_sats'
  | 'over_10k_sats'
  | 'under_10k_sats'
  | 'over_100k_sats'
  | 'under_100k_sats'
  | 'over_1m_sats'
  | 'under_1m_sats'
  | 'over_10m_sats'
  | 'under_10m_sats'
  | 'over_1_btc'
  | 'under_1_btc'
  | 'over_10_btc'
  | 'under_10_btc'
  | 'over_100_btc'
  | 'under_100_btc'
  | 'over_1k_btc'
  | 'under_1k_btc'
  | 'over_10k_btc'
  | 'under_10k_btc'
  | 'under_100k_btc'
  | 'p2pk'
  | 'p2pkh'
  | 'multisig'
  | 'p2sh'
  | 'p2wpkh'
  | 'p2wsh'
  | 'p2tr'
  | 'p2a'
  | 'witness_other'
  | 'other_scripts'
  | 'exposed'
  | 'exposed_over_1y'
  | 'exposed_over_5y'
  | 'exposed_over_10y'
  | 'mined'
  | 'mined_over_1y'
  | 'mined_over_5y'
  | 'mined_over_10y'
  | 'moved'

/** Parameters independent of the generation. */
export interface LiveParameters {
  /** The fields of the rows, besides the ones that identify a row (such as date): names separated by commas, in that order, or all. Files hold the same fields as JSON. */
  fields?: string
  /** Format of the answer; takes precedence over the Accept header */
  format?: 'json' | 'csv' | 'parquet'
}

/** Parameters of data of one generation. */
export interface GenerationParameters extends LiveParameters {
  /** Id of a retained generation to read instead of the current one; not together with as_of */
  generation?: string
  /** Read the newest retained generation that was published by then (UTC). Before the retained ones, rows of days have the values of metrics that were published first; not together with generation */
  as_of?: string
}

/** Parameters of lists. */
export interface ListParameters extends GenerationParameters {
  /** Maximum number of rows. It has no effect with start_date, which returns all rows from that date on */
  limit?: number
  /** Number of rows to skip */
  offset?: number
}

/** Parameters of rows with dates. */
export interface RangeParameters extends GenerationParameters {
  /** Maximum number of rows. It has no effect with start_date, which returns all rows from that date on */
  limit?: number
  /** First date of the rows, YYYY-MM-DD */
  start_date?: string
  /** Last date of the rows, YYYY-MM-DD */
  end_date?: string
}

/** Parameters of lists whose rows have dates. */
export interface DatedListParameters extends RangeParameters {
  /** Number of rows to skip */
  offset?: number
}

/** Parameters of dated rows in a chosen order. */
export interface OrderedParameters extends DatedListParameters {
  /** Order of the rows in time: asc begins with the oldest of them, desc with the newest. It changes which rows an answer has only if there are more than fit into one: asc with start_date begins at start_date. */
  order?: 'asc' | 'desc'
}

/** Parameters of dated rows in pages. */
export interface PagedParameters extends RangeParameters {
  /** Order of the rows in time: asc begins with the oldest of them, desc with the newest. It changes which rows an answer has only if there are more than fit into one: asc with start_date begins at start_date. */
  order?: 'asc' | 'desc'
  /** Continues after the rows of an earlier answer: its meta.next_cursor, with all other parameters unchanged */
  cursor?: string
}

/** Parameters of daily rows, which can be aggregated to weeks or months. */
export interface DailyParameters extends PagedParameters {
  /** Days, weeks (from Monday) or months. Of each week or month there is one row, dated by its newest day: levels such as a price are the last value, flows such as fees the sum, rates such as SOPR the mean */
  interval?: '1d' | '1w' | '1m' | 'day' | 'week' | 'month'
  /** How the days of a week or month become one, for all columns, instead of by the kind of each (`aggregate` of /v1/metrics) */
  aggregate?: 'last' | 'sum' | 'mean' | 'min' | 'max' | 'first'
}

/** Daily columns, which requests name. All rows have the date, and without the parameter `fields` also `Default`. */
export interface Series<Default extends string = never> {
  parameters: DailyParameters
  row: {
    /** Day, UTC */
    date: string
  }
  key: 'date'
  default: 'date' | Default
  full: never
  others: number | null
}

/** Rows with all fields; those of `Full` only with `fields=all`. */
export interface Table<Parameters, Row, Key extends keyof Row, Full extends keyof Row = never> {
  parameters: Parameters
  row: Row
  key: Key
  default: Exclude<keyof Row, Full>
  full: Full
  others: never
}

/**
 * Data endpoints by path: parameters and fields of rows. Every row has the fields `key`, without the parameter `fields`
 * also `default`, and with `fields=all` also `full`. `others` is the type of fields named by the request or the catalogue.
 */
export interface Endpoints {
  /** The day that is not closed yet: its sums so far and the valuation at the last hourly price. */
  '/v1/today': {
    parameters: LiveParameters
    row: {
      /** The open day, UTC: that of the newest block. */
      date: string
      /** Always true: later blocks, prices and reorganisations change the row. */
      provisional?: true
      /** Height of the newest block that is counted. */
      as_of_height?: number
      /** Its hash. */
      as_of_hash?: string
      /** Time in its header, UTC. */
      as_of_time?: string
      /** When the row was made, UTC. */
      updated_at?: string
      /** Instant of the price, UTC: the end of its hour or day; NULL without a price. */
      price_time?: string | null
      /** Sources that made the price, with commas between them; NULL without a price. */
      price_source?: string | null
      /** Last hourly price, the median of the sources; null if there is none since the day began. Unit: USD. */
      price?: number | null
      /** Blocks on the open day so far. Unit: count. */
      blocks_mined?: number | null
      /** Transactions, without coinbases, on the open day so far. Unit: count. */
      tx_count?: number | null
      /** Outputs spent on the open day so far. Unit: count. */
      inputs?: number | null
      /** Outputs created on the open day so far. Unit: count. */
      outputs?: number | null
      /** Size of the blocks with witness data on the open day so far. Unit: bytes. */
      size?: number | null
      /** Weight of the blocks on the open day so far. Unit: weight units. */
      weight?: number | null
      /** New coins on the open day so far. Unit: sats. */
      issuance_sats?: number | null
      /** Fees on the open day so far. Unit: sats. */
      fees_sats?: number | null
      /** Median fee of a transaction; null while there are none but coinbases. Unit: BTC. */
      fee_median?: number | null
      /** Difficulty of the newest block. Unit: difficulty. */
      difficulty?: number | null
      /** Value of the outputs spent on the open day so far. Unit: BTC. */
      transfer_volume?: number | null
      /** The same at the price; null without one. Unit: USD. */
      transfer_volume_usd?: number | null
      /** Number of outputs spent on the open day so far. Unit: count. */
      spent_outputs?: number | null
      /** Value times age of the outputs spent on the open day so far. Unit: coin-days. */
      coindays_destroyed?: number | null
      /** Mean age of the coins spent so far; null while there are none. Unit: days. */
      dormancy?: number | null
      /** Spendable supply after the newest block, as in the gettxoutsetinfo of Bitcoin Core. Unit: sats. */
      supply_sats?: number | null
      /** The same in bitcoin. Unit: BTC. */
      circulating_supply?: number | null
      /** Unspent outputs (UTXOs) after the newest block. Unit: count. */
      utxo_count?: number | null
      /** Of the supply, coins aged 155 days or more. Unit: BTC. */
      lth_supply?: number | null
      /** Of the supply, younger coins. Unit: BTC. */
      sth_supply?: number | null
      /** Supply at the price; null without one. Unit: USD. */
      market_cap?: number | null
      /** Supply, each coin at the price at which it last moved; null if that is not known. Unit: USD. */
      realized_cap?: number | null
      /** Mean cost of a coin; null likewise. Unit: USD. */
      realized_price?: number | null
      /** Market cap over realized cap; null without both. Unit: ratio. */
      mvrv?: number | null
      /** Mean cost of a coin aged 155 days or more; null if it is not known. Unit: USD. */
      lth_realized_price?: number | null
      /** Mean cost of a younger coin; null if it is not known. Unit: USD. */
      sth_realized_price?: number | null
      /** MVRV of the coins aged 155 days or more; null if it is not known. Unit: ratio. */
      lth_mvrv?: number | null
      /** MVRV of younger coins; null if it is not known. Unit: ratio. */
      sth_mvrv?: number | null
      /** Coins that cost less than the price; null without one. Unit: BTC. */
      supply_in_profit?: number | null
      /** Coins that cost more than the price; null without one. Unit: BTC. */
      supply_in_loss?: number | null
      /** Coins in profit as a share of the supply; null without a price. Unit: percent. */
      supply_in_profit_percent?: number | null
      /** Paper gain of the coins in profit; null without a price. Unit: USD. */
      unrealized_profit?: number | null
      /** Paper loss of the coins in loss; null without a price. Unit: USD. */
      unrealized_loss?: number | null
      /** Paper gain minus paper loss, divided by the market cap; null without a price. Unit: ratio. */
      nupl?: number | null
      /** Gain on the coins spent so far, at the price; null without one. Unit: USD. */
      realized_profit?: number | null
      /** Loss on the coins spent so far, at the price; null without one. Unit: USD. */
      realized_loss?: number | null
      /** Value of the coins spent so far over what they had cost; null without both. Unit: ratio. */
      sopr?: number | null
      /** The same without outputs that were spent within an hour; null without both. Unit: ratio. */
      asopr?: number | null
    }
    key: 'date'
    default:
      | 'date'
      | 'provisional'
      | 'as_of_height'
      | 'as_of_hash'
      | 'as_of_time'
      | 'updated_at'
      | 'price_time'
      | 'price_source'
    full: never
    others: never
  }
  /** Price, market cap, volume, drawdown, realized volatility and other metrics of the price. */
  '/v1/prices': Series<'symbol'> & {
    parameters: {
      /** Cryptocurrency; only BTC is served */
      symbol?: string
    }
    row: {
      symbol?: 'BTC'
      price?: number | null
      open?: number | null
      high?: number | null
      low?: number | null
      close?: number | null
      volume?: number | null
      market_cap?: number | null
      drawdown?: number | null
      realized_vol_1w?: number | null
      realized_vol_2w?: number | null
      realized_vol_1m?: number | null
      realized_vol_3m?: number | null
      realized_vol_6m?: number | null
      realized_vol_1y?: number | null
    }
  }
  /** Circulating supply, that of long-term and short-term holders, and of each age band. */
  '/v1/holder/supply': Series<'date_processed'> & {
    row: {
      /** Same as date */
      date_processed?: string
      circulating_supply?: number | null
      lth_supply?: number | null
      sth_supply?: number | null
      supply_24h?: number | null
      supply_1d_1w?: number | null
      supply_1w_1m?: number | null
      supply_1m_3m?: number | null
      supply_3m_6m?: number | null
      supply_6m_12m?: number | null
      supply_1y_2y?: number | null
      supply_2y_3y?: number | null
      supply_3y_5y?: number | null
      supply_5y_7y?: number | null
      supply_7y_10y?: number | null
      supply_10y_plus?: number | null
    }
  }
  /** Realized cap and price, MVRV, thermo cap, delta cap, balanced price and more. */
  '/v1/holder/valuation': Series<'date_processed'> & {
    row: {
      /** Same as date */
      date_processed?: string
      realized_cap?: number | null
      realized_price?: number | null
      mvrv?: number | null
      thermo_cap?: number | null
      mc_tc_ratio?: number | null
      average_cap?: number | null
      delta_cap?: number | null
      balanced_price?: number | null
      investor_cap?: number | null
      mayer_multiple?: number | null
      lth_realized_cap?: number | null
      sth_realized_cap?: number | null
      lth_realized_price?: number | null
      sth_realized_price?: number | null
      lth_mvrv?: number | null
      sth_mvrv?: number | null
      lth_unrealized_pl?: number | null
      sth_unrealized_pl?: number | null
    }
  }
  /** Realized and unrealized profit and loss, SOPR, NUPL, supply in profit. */
  '/v1/holder/profit': Series<'date_processed'> & {
    row: {
      /** Same as date */
      date_processed?: string
      nupl?: number | null
      lth_nupl?: number | null
      sth_nupl?: number | null
      unrealized_pl?: number | null
      unrealized_profit?: number | null
      unrealized_loss?: number | null
      realized_pl?: number | null
      realized_profit?: number | null
      realized_loss?: number | null
      sopr?: number | null
      asopr?: number | null
      lth_sopr?: number | null
      sth_sopr?: number | null
      supply_in_profit?: number | null
      supply_in_loss?: number | null
      percent_supply_in_profit?: number | null
    }
  }
  /** Every measure of one cohort of coins. */
  '/v1/cohort/metrics/{cohort}': Series<'date_processed' | 'cohort'> & {
    parameters: {
      /** Cohort: one of 24h, 1d_1w, 1w_1m, 1m_3m, 3m_6m, 6m_12m, 1y_2y, 2y_3y, 3y_5y, 5y_7y, 7y_10y, 10y_plus, lth, sth, 0_sats, 1_1k_sats, 1k_10k_sats, 10k_100k_sats, 100k_1m_sats, 1m_10m_sats, 10m_100m_sats, 1_10_btc, 10_100_btc, 100_1k_btc, 1k_10k_btc, 10k_100k_btc, 100k_plus_btc, over_1k_sats, under_1k_sats, over_10k_sats, under_10k_sats, over_100k_sats, under_100k_sats, over_1m_sats, under_1m_sats, over_10m_sats, under_10m_sats, over_1_btc, under_1_btc, over_10_btc, under_10_btc, over_100_btc, under_100_btc, over_1k_btc, under_1k_btc, over_10k_btc, under_10k_btc, under_100k_btc, p2pk, p2pkh, multisig, p2sh, p2wpkh, p2wsh, p2tr, p2a, witness_other, other_scripts, exposed, exposed_over_1y, exposed_over_5y, exposed_over_10y, mined, mined_over_1y, mined_over_5y, mined_over_10y, moved */
      cohort: Cohort
    }
    row: {
      /** Same as date */
      date_processed?: string
      cohort?: Cohort
      supply?: number | null
      realized_cap?: number | null
      realized_price?: number | null
    }
  }
  /** Unspent value by the day on which it was created, after one day. */
  '/v1/utxo/history': Table<
    OrderedParameters & {
      /** Day after which the unspent value is counted */
      date_processed?: string
      /** First cohort_date */
      cohort_start?: string
      /** Last cohort_date */
      cohort_end?: string
    },
    {
      date_processed: string
      /** Day on which the outputs were created */
      cohort_date: string
      /** BTC created on cohort_date and unspent after date_processed */
      token_amount?: number
      /** token_amount at the price of date_processed */
      usd_value?: number | null
      age_days?: number
      cohort?: AgeBand
    },
    'date_processed' | 'cohort_date'
  >
  /** Coin days destroyed, liveliness, vaultedness, dormancy. */
  '/v1/coindays': Series & {
    row: {
      coindays_destroyed?: number | null
      binary_cdd?: number | null
      supply_adjusted_cdd?: number | null
      liveliness?: number | null
      vaultedness?: number | null
      dormancy?: number | null
      dormancy_flow?: number | null
      net_coindays?: number | null
      coindays_accumulated?: number | null
      transferred_price?: number | null
      transfer_volume?: number | null
    }
  }
  /** Block height, blocks mined, fees, issuance, difficulty, hash rate and more. */
  '/v1/blockchain': Series & {
    row: {
      block_height?: number | null
      blocks_mined?: number | null
    }
  }
  /** One field of /v1/blockchain, such as block_height or blocks_mined. */
  '/v1/blockchain/{metric}': Series & {
    parameters: {
      metric: string
    }
  }
  /** Active addresses of each day, each counted once. */
  '/v1/addresses': Series & {
    row: {
      active_addresses?: number | null
      sending_addresses?: number | null
      receiving_addresses?: number | null
    }
  }
  /** Number and holdings of addresses by what they hold, with the error of each estimate. */
  '/v1/addresses/estimates': Table<
    PagedParameters & {
      /** Measure of addresses */
      measure:
        | 'over_0'
        | 'over_0_001'
        | 'over_0_01'
        | 'over_0_1'
        | 'over_1'
        | 'over_10'
        | 'over_100'
        | 'over_1k'
        | 'over_10k'
        | 'supply_over_0'
        | 'supply_over_0_001'
        | 'supply_over_0_01'
        | 'supply_over_0_1'
        | 'supply_over_1'
        | 'supply_over_10'
        | 'supply_over_100'
        | 'supply_over_1k'
        | 'supply_over_10k'
        | 'over_1_usd'
        | 'over_10_usd'
        | 'over_100_usd'
        | 'over_1k_usd'
        | 'over_10k_usd'
        | 'over_100k_usd'
        | 'over_1m_usd'
        | 'over_10m_usd'
        | 'band_0_to_0_001'
        | 'band_0_001_to_0_01'
        | 'band_0_01_to_0_1'
        | 'band_0_1_to_1'
        | 'band_1_to_10'
        | 'band_10_to_100'
        | 'band_100_to_1k'
        | 'band_1k_to_10k'
        | 'band_10k_plus'
        | 'supply_band_0_to_0_001'
        | 'supply_band_0_001_to_0_01'
        | 'supply_band_0_01_to_0_1'
        | 'supply_band_0_1_to_1'
        | 'supply_band_1_to_10'
        | 'supply_band_10_to_100'
        | 'supply_band_100_to_1k'
        | 'supply_band_1k_to_10k'
        | 'supply_band_10k_plus'
        | 'realized_price_band_0_to_0_001'
        | 'realized_price_band_0_001_to_0_01'
        | 'realized_price_band_0_01_to_0_1'
        | 'realized_price_band_0_1_to_1'
        | 'realized_price_band_1_to_10'
        | 'realized_price_band_10_to_100'
        | 'realized_price_band_100_to_1k'
        | 'realized_price_band_1k_to_10k'
        | 'realized_price_band_10k_plus'
        | 'type_p2pk'
        | 'type_p2pkh'
        | 'type_p2sh'
        | 'type_p2wpkh'
        | 'type_p2wsh'
        | 'type_p2tr'
        | 'type_p2a'
        | 'type_witness_other'
        | 'new'
        | 'newly_funded'
        | 'emptied'
        | 'reactivated_1y'
        | 'reactivated_5y'
        | 'in_profit'
        | 'in_loss'
        | 'accumulating'
        | 'supply_accumulating'
        | 'operationally_exposed'
        | 'supply_operationally_exposed'
        | 'supply_total_exposed'
        | 'ever'
        | 'gini'
        | 'herfindahl'
        | 'top_1_percent'
        | 'top_100'
        | 'median'
    },
    {
      /** Day, UTC */
      date: string
      /** The estimate; null while its error is above a fifth, until it is below a tenth. Unit: count. */
      value?: number | null
      /** Lower bound of its 95 % interval, the value itself if it is exact. Unit: count. */
      low?: number | null
      /** Upper bound of its 95 % interval. Unit: count. */
      high?: number | null
    },
    'date'
  >
  /** Balance, flows, age and cost of the addresses that the operator has labelled. */
  '/v1/addresses/labels': Table<
    PagedParameters & {
      /** Name of a label; default: all */
      label?: string
    },
    {
      /** Day, UTC */
      date: string
      /** Name of the label in the lists. */
      label: string
      /** Its addresses that hold coins after the last block of the day. Unit: count. */
      addresses?: number
      /** Balance in BTC */
      balance?: number | null
      /** BTC that they received on the day, also from each other and as change */
      received?: number | null
      /** BTC that they spent on the day */
      spent?: number | null
      /** Their coins at the close of the day on which each was created; null without prices. Unit: USD. */
      realized_cap?: number | null
      /** realized_cap by balance: USD that a coin cost on average */
      realized_price?: number | null
      /** Mean age of their coins in days */
      average_age_days?: number | null
      /** BTC times age in whole days of what they spent on the day. Unit: coin-days. */
      coin_days_destroyed?: number | null
    },
    'date' | 'label'
  >
  /** Blocks: time, size, transactions, fees, pool and supply of each. */
  '/v1/blocks': Table<
    PagedParameters & {
      /** Height of a block */
      min_height?: number
      /** Height of a block */
      max_height?: number
    },
    {
      /** Day, UTC */
      date: string
      /** Height; the first block of the chain has height 0. */
      height: number
      /** Hash in the order in which it is usually shown, 64 hexadecimal digits. */
      hash?: string
      /** Time in the header, UTC. Headers may be up to two hours off, and out of order. */
      time?: string
      /** Mining pool, as in `pools`: the first that the coinbase pays, else the first whose tag it has; null if it is not known. Pools name themselves. */
      pool?: string | null
      /** Transactions, the coinbase included. Unit: count. */
      transactions?: number
      /** Size with witness data. Unit: bytes. */
      size?: number
      /** Weight by BIP 141: four times the size without witness data, plus the witness data. Unit: weight units. */
      weight?: number
      /** Fees of the transactions. Unit: sats. */
      fees_sats?: number
      /** The fee rate of transactions that a tenth of them did not exceed; null without any transaction but coinbases. Unit: sats per vbyte. */
      fee_rate_p10?: number | null
      /** The fee rate of transactions that half of them did not exceed; null likewise. Unit: sats per vbyte. */
      fee_rate_median?: number | null
      /** The fee rate of transactions that nine tenths of them did not exceed; null likewise. Unit: sats per vbyte. */
      fee_rate_p90?: number | null
      /** New coins: what the coinbase claimed beyond the fees. Unit: sats. */
      issuance_sats?: number
      /** Spendable supply after the block. Unit: sats. */
      supply_sats?: number
      /** Compact form of the target, as in the header. */
      bits?: number
      /** How many times harder than at the start it was to find the block. Unit: difficulty. */
      difficulty?: number
      /** Number of hashes that the block is expected to have taken. Unit: hashes. */
      work?: number
      /** Outputs spent by the block; the coinbase spends none. Unit: count. */
      inputs?: number
      /** Outputs created by the block. Unit: count. */
      outputs?: number
      /** Of these, outputs that can never be spent: OP_RETURN, scripts above 10,000 bytes, and the output of the first block. Unit: count. */
      unspendable_outputs?: number
      /** Of the outputs, those that only carry data (OP_RETURN). Unit: count. */
      op_return_outputs?: number
      /** Of the outputs, those to witness programs of version 0. Unit: count. */
      segwit_outputs?: number
      /** Of the outputs, those to witness programs of version 1 with 32 bytes. Unit: count. */
      taproot_outputs?: number
      /** What the coinbase paid out. Unit: sats. */
      coinbase_sats?: number
      /** Value of the outputs that can never be spent. Unit: sats. */
      unspendable_sats?: number
      /** Value of the outputs spent by the block. Unit: sats. */
      spent_sats?: number
      /** Transactions of version 1, without coinbases, as in all counts by rule. Unit: count. */
      version_1_transactions?: number
      /** Transactions of version 2, which may have relative lock times (BIP68). Unit: count. */
      version_2_transactions?: number
      /** Transactions of version 3, which nodes relay by other rules (TRUC, BIP431). Unit: count. */
      version_3_transactions?: number
      /** Transactions with a lock time other than 0. Unit: count. */
      locked_transactions?: number
      /** Transactions that signal replaceability (BIP125): an input has a sequence number below 0xfffffffe. Unit: count. */
      replaceable_transactions?: number
      /** Transactions with a witness. Unit: count. */
      segwit_transactions?: number
      /** Transactions that spend a Taproot output. Unit: count. */
      taproot_transactions?: number
      /** Transactions with one input and one output. Unit: count. */
      one_to_one_transactions?: number
      /** Transactions with five inputs or more for each output. Unit: count. */
      consolidation_transactions?: number
      /** Transactions with five outputs or more for each input. Unit: count. */
      batch_transactions?: number
      /** Transactions with five inputs and five spendable outputs or more, whose spendable outputs have at most half as many different values, neither consolidation nor batch. Unit: count. */
      coinjoin_like_transactions?: number
      /** Transactions that spend by a Taproot script with an envelope of ord: OP_FALSE OP_IF "ord" among its first eight opcodes. Unit: count. */
      inscription_transactions?: number
      /** Transactions with a runestone: an output whose script begins with OP_RETURN OP_13. Unit: count. */
      runestone_transactions?: number
      /** Transactions with an OP_RETURN output. Unit: count. */
      op_return_transactions?: number
      /** Transactions with two OP_RETURN outputs or more. Unit: count. */
      several_op_return_transactions?: number
      /** Of the spendable outputs, those below Bitcoin Core's default dust limit, such as 546 satoshis for P2PKH and 294 for P2WPKH. Unit: count. */
      dust_outputs?: number
      /** Of the OP_RETURN outputs, those with a script above 83 bytes. Unit: count. */
      large_op_return_outputs?: number
      /** Of the OP_RETURN outputs, those of Omni: their data begin with "omni". Unit: count. */
      omni_outputs?: number
      /** Bytes of the scripts of OP_RETURN outputs. Unit: bytes. */
      op_return_bytes?: number
      /** Value of the outputs of transactions without change, for which the largest output of each transaction with two outputs or more is taken; without coinbases. Unit: sats. */
      adjusted_sats?: number
      /** Lowest fee rate of a transaction; null without any transaction but coinbases. Unit: sats per vbyte. */
      fee_rate_min?: number | null
      /** The fee rate of transactions that a quarter of them did not exceed; null likewise. Unit: sats per vbyte. */
      fee_rate_p25?: number | null
      /** The fee rate of transactions that three quarters of them did not exceed; null likewise. Unit: sats per vbyte. */
      fee_rate_p75?: number | null
      /** Highest fee rate of a transaction; null without any transaction but coinbases. Unit: sats per vbyte. */
      fee_rate_max?: number | null
    },
    'date' | 'height',
    | 'bits'
    | 'difficulty'
    | 'work'
    | 'inputs'
    | 'outputs'
    | 'unspendable_outputs'
    | 'op_return_outputs'
    | 'segwit_outputs'
    | 'taproot_outputs'
    | 'coinbase_sats'
    | 'unspendable_sats'
    | 'spent_sats'
    | 'version_1_transactions'
    | 'version_2_transactions'
    | 'version_3_transactions'
    | 'locked_transactions'
    | 'replaceable_transactions'
    | 'segwit_transactions'
    | 'taproot_transactions'
    | 'one_to_one_transactions'
    | 'consolidation_transactions'
    | 'batch_transactions'
    | 'coinjoin_like_transactions'
    | 'inscription_transactions'
    | 'runestone_transactions'
    | 'op_return_transactions'
    | 'several_op_return_transactions'
    | 'dust_outputs'
    | 'large_op_return_outputs'
    | 'omni_outputs'
    | 'op_return_bytes'
    | 'adjusted_sats'
    | 'fee_rate_min'
    | 'fee_rate_p25'
    | 'fee_rate_p75'
    | 'fee_rate_max'
  >
  /** Mining pools: blocks, share, hash rate and income of each within some days. */
  '/v1/pools': Table<
    DatedListParameters,
    {
      /** Last of the days */
      date: string
      /** Id of the pool, as in the blocks */
      pool: string
      name?: string
      /** Address of its web site */
      link?: string | null
      blocks?: number
      /** Share of all blocks, in percent */
      share_percent?: number | null
      /** Its share of the blocks times the hash rate of the days, in H/s */
      hash_rate?: number | null
      /** Fees of its blocks */
      fees_sats?: number
      /** What its coinbases paid out, fees included */
      coinbase_sats?: number
    },
    'date' | 'pool'
  >
  /** Price relative to that of a halving, a top or a low. */
  '/v1/cycle-performance': {
    parameters: PagedParameters & {
      type?: 'halving' | 'ath' | 'low'
    }
    row: {
      /** Without type: the day */
      date?: string
      /** Days since the reference day; without type: since the last halving */
      day_offset: number | null
    }
    key: 'day_offset'
    default: 'day_offset'
    full: never
    others: number | null
  }
  /** Start, end and duration of each cycle. */
  '/v1/cycle-boundaries': Table<
    OrderedParameters & {
      family?: 'halving' | 'ath' | 'low'
    },
    {
      cycle: number
      family: 'halving' | 'ath' | 'low'
      start_date?: string
      end_date?: string | null
      duration_days?: number | null
      start_height?: number | null
      /** Close of the first day; null before the first price. Unit: USD. */
      start_price?: number | null
      /** True for the last cycle of `ath` if it begins with the highest close so far, which is not a top yet. A later high replaces it. */
      provisional?: boolean
    },
    'cycle' | 'family'
  >
  /** Holdings, assets, flows, dominance and realized price of all funds together. */
  '/v1/etf/aggregate': Series & {
    row: {
      total_btc_holdings?: number | null
      total_aum_usd?: number | null
      net_flow_btc?: number | null
      net_flow_usd?: number | null
      cumulative_flow_btc?: number | null
      cumulative_money_flow?: number | null
      dominance?: number | null
      realized_price?: number | null
      us_btc_holdings?: number | null
      us_realized_price?: number | null
      premium_average?: number | null
      etf_count?: number | null
    }
  }
  /** The funds: ticker, issuer, country, fee. */
  '/v1/etf/registry': Table<
    DatedListParameters,
    {
      ticker: string
      name?: string
      issuer?: string | null
      country?: string | null
      launch_date?: string | null
      /** Yearly fee in percent of the assets, if known. Unit: percent. */
      fee_percent?: number | null
      status?: string | null
      /** Ticker of the fund whose shares it holds instead of coins; totals do not count it. */
      feeder_of?: string | null
    },
    'ticker',
    'feeder_of'
  >
  /** Holdings and flows of one fund. */
  '/v1/etf/ticker': Table<
    DailyParameters & {
      /** Ticker of /v1/etf/registry */
      ticker: string
    },
    {
      /** Day, UTC */
      date: string
      /** Bitcoin held at the end of the day; between two reports as last reported. Unit: BTC. */
      btc_holdings?: number | null
      /** Inflow minus outflow; null on the first known day. Unit: BTC. */
      net_flow_btc?: number | null
      /** All net flows since the first day known. Unit: BTC. */
      cumulative_flow_btc?: number | null
      /** Assets under management; null on days without report and price. Unit: USD. */
      aum_usd?: number | null
      /** Cost of the coins: inflows at the close of their day, outflows at the average. Unit: USD. */
      realized_cap?: number | null
      /** Market price of a share divided by its net asset value, minus 1; null unless both are known. Unit: ratio. */
      premium?: number | null
      /** Fund, by its ticker in `etf_registry`. */
      ticker?: string
      /** True where holdings are derived from net assets, because no source reports them. */
      estimated?: boolean
      /** The same in US dollars. Unit: USD. */
      net_flow_usd?: number | null
      /** Sources of the fund, with commas between them. */
      source?: string
    },
    'date',
    'ticker' | 'estimated' | 'net_flow_usd' | 'source'
  >
  /** Open interest of all exchanges together. */
  '/v1/futures/oi': Series & {
    row: {
      total_oi_usd?: number | null
      oi_delta_usd?: number | null
      oi_delta_pct?: number | null
      exchange_count?: number | null
    }
  }
  /** Funding rate of all exchanges, weighted by open interest. */
  '/v1/funding/aggregate': Series & {
    row: {
      avg_funding_rate?: number | null
      spread?: number | null
      annualized?: number | null
      exchange_count?: number | null
    }
  }
  /** Funding rate of one exchange. */
  '/v1/funding/exchange': Table<
    DailyParameters & {
      /** An exchange of the list endpoint */
      exchange: string
    },
    {
      /** Day, UTC */
      date: string
      exchange?: string
      /** Settled rates of the day as a fraction per eight hours. Unit: ratio. */
      funding_rate?: number | null
      /** The same, simply extrapolated to a year. Unit: ratio. */
      annualized?: number | null
      /** Weight in the aggregate, a fraction; null if no open interest of the exchange is known. Unit: ratio. */
      oi_weight?: number | null
      /** Sources of the exchange, with commas between them. */
      source?: string
    },
    'date',
    'source'
  >
  /** Exchanges with funding rates. */
  '/v1/funding/exchanges': Table<
    DatedListParameters,
    {
      exchange: string
      name?: string
      first_date?: string
      last_date?: string
    },
    'exchange'
  >
  /** Open interest of one exchange. */
  '/v1/oi/exchange': Table<
    DailyParameters & {
      /** An exchange of the list endpoint */
      exchange: string
    },
    {
      /** Day, UTC */
      date: string
      exchange?: string
      /** Open interest at the end of the day, one side of each contract, at the close of the day. Unit: USD. */
      oi_usd?: number | null
      /** The same in bitcoin. Unit: BTC. */
      oi_btc?: number | null
      /** Change over the markets known on both days; null if there are none. Unit: USD. */
      oi_delta_usd?: number | null
      /** Fraction of the open interest of all exchanges of the day. Unit: ratio. */
      oi_share?: number | null
      /** The same in bitcoin. Unit: BTC. */
      oi_delta_btc?: number | null
      /** Sources of the exchange, with commas between them. */
      source?: string
    },
    'date',
    'oi_delta_btc' | 'source'
  >
  /** Exchanges with open interest. */
  '/v1/oi/exchanges': Omit<Endpoints['/v1/funding/exchanges'], 'parameters'> & { parameters: DatedListParameters }
  /** Bitcoin of all companies with a treasury together. */
  '/v1/dat/aggregate': Series & {
    row: {
      total_btc?: number | null
      total_companies?: number | null
      public_company_btc?: number | null
      net_change_btc?: number | null
      pct_of_supply?: number | null
      total_value_usd?: number | null
      cumulative_money_flow?: number | null
    }
  }
  /** The companies and other entities that are tracked. */
  '/v1/dat/registry': Table<
    DatedListParameters,
    {
      id: number
      name?: string
      ticker?: string | null
      type?: string
      country?: string | null
      first_date?: string | null
      /** Id of the entity that reports these coins among its own; totals leave them out. */
      consolidated_in?: number | null
    },
    'id',
    'consolidated_in'
  >
  /** Holdings, value and flow of one entity, day by day. */
  '/v1/dat/entity': Table<
    DailyParameters & {
      /** Id of /v1/dat/registry */
      id: number
    },
    {
      /** Day, UTC */
      date: string
      /** Bitcoin held at the end of the day; between two reports as last reported. Unit: BTC. */
      btc_amount?: number | null
      /** The same at the close of the day; null on days without a price. Unit: USD. */
      total_current_value_usd?: number | null
      /** Change since the day before; null on the first day known, unless its report says it. Unit: BTC. */
      net_flow_btc?: number | null
      /** All changes since the first day known. Unit: BTC. */
      cumulative_flow_btc?: number | null
      /** Share in the circulating supply. Unit: percent. */
      percentage_of_total_supply?: number | null
      /** Share in what all tracked entities hold. Unit: percent. */
      market_share_pct?: number | null
      /** Entity, by its id in `treasury_registry`. */
      id?: number
      /** Page that reports the holding, or else its source; null on days without a report. */
      source?: string | null
    },
    'date',
    'id' | 'source'
  >
  /** Reports of one entity: what it held from that day on, and the source. */
  '/v1/dat/company/{id}/holdings': Table<
    PagedParameters & {
      /** Id of /v1/dat/registry */
      id: number
    },
    {
      /** Day, UTC */
      date: string
      /** Bitcoin held at the end of the day; between two reports as last reported. Unit: BTC. */
      btc_amount?: number | null
      /** Change since the day before; null on the first day known, unless its report says it. Unit: BTC. */
      net_flow_btc?: number | null
      source?: string | null
      /** Entity, by its id in `treasury_registry`. */
      id?: number
      /** The same at the close of the day; null on days without a price. Unit: USD. */
      total_current_value_usd?: number | null
      /** All changes since the first day known. Unit: BTC. */
      cumulative_flow_btc?: number
      /** Share in the circulating supply. Unit: percent. */
      percentage_of_total_supply?: number | null
      /** Share in what all tracked entities hold. Unit: percent. */
      market_share_pct?: number | null
    },
    'date',
    'id' | 'total_current_value_usd' | 'cumulative_flow_btc' | 'percentage_of_total_supply' | 'market_share_pct'
  >
  /** Newest totals by kind of entity. */
  '/v1/dat/stats': Table<
    DatedListParameters,
    {
      /** Day, UTC */
      date: string
      /** Kind of entity, as in the registry */
      type: string
      /** Entities that hold bitcoin */
      entities?: number
      btc_amount?: number | null
      total_current_value_usd?: number | null
      net_flow_btc_30d?: number | null
      percentage_of_total_supply?: number | null
      market_share_pct?: number | null
      largest_entity?: string | null
      largest_btc_amount?: number | null
    },
    'date' | 'type'
  >
  /** Measures with their cohorts and definitions, every metric, or those that fit a search. */
  '/v1/metrics': Table<
    ListParameters & {
      /** all: every metric. measures: without those of single cohorts (named in cohorts of their measure), exchanges, funds and entities. A search always covers every metric */
      variants?: 'measures' | 'all'
      /** true leaves out metrics that have no values here */
      active_only?: string
      /** Words of a question, an id, or a name that a metric has elsewhere */
      q?: string
    },
    {
      id: string
      name?: string
      short_description?: string | null
      description?: string
      category?: string
      unit?: string
      /** Path of its endpoint, without /v1/ */
      endpoint?: string
      /** Its name in the rows of that endpoint */
      field?: string
      grade?: number
      /** The formula that is evaluated, over other metrics; null for measured ones */
      formula?: string | null
      variant?: string | null
      source?: string | null
      /** First day with a value */
      first_date?: string | null
      style?: string | null
      scale?: string | null
      related?: readonly string[]
      /** In the list of measures: cohorts by age that have this measure, for each of which there is a metric; variants=all lists those of other cohorts too */
      cohorts?: readonly string[]
      /** Dimension of the values, such as USD per coin or USD per day: metrics of one dimension share an axis */
      dimension?: string
      /** level: holds at the end of the day; flow: happened during it and adds up; rate: does not add up */
      kind?: 'level' | 'flow' | 'rate'
      /** How days become a week or month: by its kind last, sum or mean */
      aggregate?: 'last' | 'sum' | 'mean' | 'min' | 'max' | 'first'
      /** Names elsewhere as `vendor: name`, usual names, and other ids that are accepted for it */
      aliases?: readonly string[]
      /** The metric has values on this instance */
      active?: boolean
      /** Values of the parameter interval of /v1/series */
      intervals?: readonly string[]
      /** Published table that holds its values */
      table_name?: string
      /** Column that holds them */
      column_name?: string
      /** Cohort of their rows, if the table is cohorts */
      cohort?: string | null
    },
    'id',
    'dimension' | 'kind' | 'aggregate' | 'aliases' | 'active' | 'intervals' | 'table_name' | 'column_name' | 'cohort'
  >
  /** Categories with their metrics. */
  '/v1/metrics/categories': Table<
    ListParameters & {
      /** all: every metric. measures: without those of single cohorts (named in cohorts of their measure), exchanges, funds and entities. A search always covers every metric */
      variants?: 'measures' | 'all'
      /** true leaves out metrics that have no values here */
      active_only?: string
    },
    {
      name: string
      count?: number
      metrics?: readonly string[]
    },
    'name'
  >
  /** Newest value of every metric, one item per category. */
  '/v1/metrics/latest': {
    parameters: DatedListParameters & {
      /** true includes the measures of single cohorts */
      cohorts?: string
    }
    row: {
      category: string
      date: string | null
    }
    key: 'category' | 'date'
    default: 'category' | 'date'
    full: never
    others: number | null
  }
  /** Compact index of all metrics, for searching and drawing: one entry for the same metric of many cohorts. */
  '/v1/metrics/index': Table<
    ListParameters,
    {
      id: string
      name?: string
      category?: string
      unit?: string
      /** Dimension of the values, such as USD per coin or USD per day: metrics of one dimension share an axis */
      dimension?: string
      /** level: holds at the end of the day; flow: happened during it and adds up; rate: does not add up */
      kind?: 'level' | 'flow' | 'rate'
      /** How days become a week or month: by its kind last, sum or mean */
      aggregate?: 'last' | 'sum' | 'mean' | 'min' | 'max' | 'first'
      /** Path of its endpoint, without /v1/ */
      endpoint?: string
      grade?: number
      style?: string | null
      /** Names elsewhere as `vendor: name`, usual names, and other ids that are accepted for it */
      aliases?: readonly string[]
      /** If not empty, the entry describes one metric per item. The text before the first space replaces `{cohort}` in id, endpoint and aliases, the text after it in the name */
      cohorts?: readonly string[]
    },
    'id'
  >
  /** Newest value of each metric with its percentile in the history of the metric, and both a week before. */
  '/v1/metrics/percentiles': Table<
    ListParameters & {
      /** Metric ids with commas between them, or names that no other metric has */
      metrics?: string
      /** Over which changes are measured: 1, 7 or 30 days */
      period?: '1d' | '1w' | '1m' | 'day' | 'week' | 'month'
    },
    {
      id: string
      /** Day of the newest value */
      date: string
      value?: number
      /** Percent of the days of history with a lower value, and half of those with the same */
      percentile?: number
      /** First of the days that are compared */
      history_from?: string
      value_7d_ago?: number | null
      /** Percentile of value_7d_ago, in the same history */
      percentile_7d_ago?: number | null
      /** Change over period; null from 0, or from days that the caller does not see */
      change?: number | null
      /** percent, or the unit of a metric that has negative values */
      change_unit?: string | null
      /** Rank of change among all such changes; null for a trend */
      change_percentile?: number | null
      /** First metric of the category whose changes correlate by 0.9 or more in 730 days */
      like?: string | null
      /** Usual reading of value; null if none is known */
      zone?: string | null
      /** All zones with their share of the days that the caller sees, from 2012 on */
      zones?: readonly string[]
      /** Publication that defines the zones, and its address */
      zones_source?: string | null
    },
    'id' | 'date',
    'change' | 'change_unit' | 'change_percentile' | 'like' | 'zone' | 'zones' | 'zones_source'
  >
  /** Definition of one metric. */
  '/v1/metrics/{metric_id}': Table<
    GenerationParameters & {
      /** Id of a metric, as /v1/metrics lists them */
      metric_id: string
    },
    {
      id: string
      name?: string
      short_description?: string | null
      description?: string
      category?: string
      unit?: string
      /** Path of its endpoint, without /v1/ */
      endpoint?: string
      /** Its name in the rows of that endpoint */
      field?: string
      grade?: number
      /** The formula that is evaluated, over other metrics; null for measured ones */
      formula?: string | null
      variant?: string | null
      source?: string | null
      /** First day with a value */
      first_date?: string | null
      style?: string | null
      scale?: string | null
      related?: readonly string[]
      /** Dimension of the values, such as USD per coin or USD per day: metrics of one dimension share an axis */
      dimension?: string
      /** level: holds at the end of the day; flow: happened during it and adds up; rate: does not add up */
      kind?: 'level' | 'flow' | 'rate'
      /** How days become a week or month: by its kind last, sum or mean */
      aggregate?: 'last' | 'sum' | 'mean' | 'min' | 'max' | 'first'
      /** Names elsewhere as `vendor: name`, usual names, and other ids that are accepted for it */
      aliases?: readonly string[]
      /** The metric has values on this instance */
      active?: boolean
      /** Values of the parameter interval of /v1/series */
      intervals?: readonly string[]
      /** Published table that holds its values */
      table_name?: string
      /** Column that holds them */
      column_name?: string
      /** Cohort of their rows, if the table is cohorts */
      cohort?: string | null
    },
    'id',
    'dimension' | 'kind' | 'aggregate' | 'aliases' | 'active' | 'intervals' | 'table_name' | 'column_name' | 'cohort'
  >
  /** Any metrics, and a formula over them, in one table. */
  '/v1/series': {
    parameters: PagedParameters & {
      /** Metric ids with commas between them, or names that no other metric has */
      metrics?: string
      /** Formula over metric ids. Formulas are made of metric ids, numbers, + - * / ^, comparisons (< <= > >= == !=, 1 if true, 0 if not), parentheses, and:
a and b: 1 where both are true (not 0), else 0
a or b: 1 where one of both is true, else 0
not a: 1 where a is 0, else 0; looser than comparisons, tighter than and
sma(s, n): mean of the last n values
ema(s, n): exponential mean, k = 2/(n + 1); starts with the first full sma, and restarts after a null
median(s, n): median of the last n values
sum(s, n): sum of the last n values
std(s, n): sample standard deviation (N − 1) of the last n values
min(s, n): lowest of the last n values
max(s, n): highest of the last n values
shift(s, n): the value of n days earlier
diff(s, n): change since n days earlier
percent_change(s, n): change since n days earlier in percent: 100·(s/shift(s, n) − 1)
cumsum(s): sum of all values so far
cummean(s): mean of all values so far
cumstd(s): sample standard deviation (N − 1) of all values so far; null at the first
cummax(s): highest of all values so far
cummin(s): lowest of all values so far
cummedian(s): median of all values so far
zscore(s[, n]): (value − mean)/std of the last n values, or of all values so far; null if the std is 0
rsi(s, n): Wilder's relative strength index, 0 to 100; null if no value changed, starts again after a null
days_since(cond): days since cond was last true: 0 if it is true that day, null before the first time and if cond is null
abs(s): absolute value
log(s): natural logarithm; null for s ≤ 0
log10(s): logarithm to base 10; null for s ≤ 0
exp(s): e to the power of s
sqrt(s): square root; null for s < 0
pow(s, p): s to the power of p, as s ^ p
if(cond, a, b): a if cond is true (not 0), b if it is 0, null if it is null
coalesce(a, b): a, or b if a is null
s is a series or a number, n a whole number of days. A null among the last n values makes a window null; functions of all values so far leave nulls out. Division by zero is null. */
      formula?: string
      /** Significant digits to which values are rounded, for smaller answers; without it values are exact */
      digits?: number
      /** Hours (1h) and blocks (block), of the metrics whose intervals at /v1/metrics/{metric_id} have them. Hours follow from blocks and prices alone, or are the state after the last block of the hour. Blocks are the day so far, after each block since the node is followed. Rows then have a time, and a formula uses no function over several rows. Days, weeks (from Monday) or months. Of each week or month there is one row, dated by its newest day: levels such as a price are the last value, flows such as fees the sum, rates such as SOPR the mean */
      interval?: 'hour' | 'block' | '1h' | '1d' | '1w' | '1m' | 'day' | 'week' | 'month'
      /** How the days of a week or month become one, for all columns, instead of by the kind of each (`aggregate` of /v1/metrics) */
      aggregate?: 'last' | 'sum' | 'mean' | 'min' | 'max' | 'first'
    }
    row: {
      /** Day, UTC */
      date: string
      /** Of hours: their beginning; of blocks: the time in their header, UTC */
      time?: string
      /** Of blocks: their height */
      height?: number
    }
    key: 'date'
    default: 'date'
    full: never
    others: number | null
  }
  /** Values of a metric that changed between two published generations. */
  '/v1/revisions': Table<
    PagedParameters & {
      /** Id of a metric, as /v1/metrics lists them */
      metric: string
      /** Id of the retained generation to compare with */
      from?: string
    },
    {
      /** Day, UTC */
      date: string
      /** In the earlier generation; null if it was not known */
      value_before?: number | null
      /** In the later one */
      value_after?: number | null
      /** value_after minus value_before; null if either is null */
      change?: number | null
      /** Relative to value_before; null if that is 0 or not known */
      change_percent?: number | null
    },
    'date'
  >
  /** The published tables, each with the path of its whole file and the lowest tier that may have it. */
  '/v1/tables': Table<
    ListParameters,
    {
      name: string
      /** Subject of a row, such as a day */
      row_for?: string
      holds?: string
      rows?: number
      /** Size of the file */
      bytes?: number
      /** SHA-256 of the file, which is also its ETag */
      sha256?: string
      /** The lowest tier that can get the whole table: demo (everybody), pro or enterprise */
      tier?: string
      /** Where the Parquet file is */
      path?: string
    },
    'name'
  >
  /** A hash of the rows of each day, by which operators compare their history. */
  '/v1/proof': Table<
    PagedParameters,
    {
      /** Day, UTC */
      date: string
      /** Of the rows of flows: equal for all operators of a chain */
      flows?: string
      /** Of the rows of blocks: equal for all operators of a chain */
      blocks?: string
      /** Of the row of days: equal for all operators of a chain */
      days?: string
      /** Of the close, which depends on sources; null without a price */
      prices?: string | null
      /** Of metrics that depend on prices; null without a price */
      metrics?: string | null
    },
    'date'
  >
  /** Supply by the price at which it was last moved, after one day, and what was spent on it. */
  '/v1/cost-basis': Table<
    PagedParameters & {
      /** The day; not together with start_date and end_date */
      date?: string
      /** Joins the bins of each day into at most as many; without it each has a row */
      bins?: number
      /** With bins: log (the default) joins bins of equal ratio, linear bins of equal USD */
      scale?: 'linear' | 'log'
    },
    {
      /** Day, UTC */
      date: string
      /** 0 holds coins from before the first market; there are 200 bins per factor of ten. Of joined bins it is the first */
      bin: number
      /** Lowest cost of the bin, USD */
      lower_price?: number
      /** Cost below which the bin ends, USD */
      upper_price?: number
      /** Unspent coins that had cost as much */
      supply_sats?: number
      /** The same in BTC */
      supply?: number
      /** Coins spent on the day that had cost as much */
      spent_sats?: number
      /** The same in BTC */
      spent?: number
    },
    'date' | 'bin'
  >
}

/** Further fields of rows, with spaces between them, where the catalogue of metrics names them all. */
// biome-ignore format: a line for each endpoint
export interface CatalogueFields {
  '/v1/prices': 'volume_to_market_cap market_age_days trading_age_days sats_per_dollar return_1d return_7d return_14d return_30d return_60d return_90d return_180d return_365d return_730d return_1095d return_1460d asia_close europe_close return_asia return_europe return_america cagr_2y cagr_4y cagr_8y ath drawdown_from_high days_since_ath high_1y low_1y realized_vol_1m_coin_metrics realized_vol_6m_coin_metrics sharpe_30d sortino_30d sharpe_90d sortino_90d sharpe_365d sortino_365d price_sma_7 price_sma_14 price_sma_20 price_sma_21 price_sma_30 price_sma_50 price_sma_100 price_sma_111 price_sma_128 price_sma_140 price_sma_200 price_sma_350 price_sma_365 price_sma_471 price_sma_730 price_sma_1400 price_ema_7 price_ema_12 price_ema_14 price_ema_20 price_ema_21 price_ema_26 price_ema_30 price_ema_50 price_ema_100 price_ema_147 price_ema_150 price_ema_200 price_ema_365 price_ema_730 price_ema_1400 price_sma_730_x5 price_sma_350_x2 price_sma_350_x3 price_sma_350_x5 price_sma_350_x8 price_sma_350_x13 price_sma_350_x21 price_sma_350_x1_6 pi_cycle_ratio pi_cycle_bottom_ratio golden_cross_ratio price_to_sma_1400 price_sma_1400_change_30d_percent rsi_7 rsi_14 rsi_30 stochastic_14 macd macd_signal macd_histogram bollinger_upper bollinger_lower bollinger_width power_law_price power_law_ratio dca_price_1y dca_return_1y dca_price_2y dca_return_2y dca_price_4y dca_return_4y return_since_2011 dca_price_since_2011 dca_return_since_2011 return_since_2012 dca_price_since_2012 dca_return_since_2012 return_since_2013 dca_price_since_2013 dca_return_since_2013 return_since_2014 dca_price_since_2014 dca_return_since_2014 return_since_2015 dca_price_since_2015 dca_return_since_2015 return_since_2016 dca_price_since_2016 dca_return_since_2016 return_since_2017 dca_price_since_2017 dca_return_since_2017 return_since_2018 dca_price_since_2018 dca_return_since_2018 return_since_2019 dca_price_since_2019 dca_return_since_2019 return_since_2020 dca_price_since_2020 dca_return_since_2020 return_since_2021 dca_price_since_2021 dca_return_since_2021 return_since_2022 dca_price_since_2022 dca_return_since_2022 return_since_2023 dca_price_since_2023 dca_return_since_2023 return_since_2024 dca_price_since_2024 dca_return_since_2024 return_since_2025 dca_price_since_2025 dca_return_since_2025 return_since_2026 dca_price_since_2026 dca_return_since_2026'
  '/v1/holder/supply': 'supply_sats supply_percent utxo_count supply_change_30d lth_supply_sats lth_supply_percent lth_utxo_count lth_supply_change_30d sth_supply_sats sth_supply_percent sth_utxo_count sth_supply_change_30d supply_percent_24h supply_percent_1d_1w supply_percent_1w_1m supply_percent_1m_3m supply_percent_3m_6m supply_percent_6m_12m supply_percent_1y_2y supply_percent_2y_3y supply_percent_3y_5y supply_percent_5y_7y supply_percent_7y_10y supply_percent_10y_plus issued_supply unspendable_supply supply_remaining supply_issued_percent lth_sth_supply_ratio mean_coin_age median_coin_age mean_dollar_age utxo_count_change_30d utxo_mean_value'
  '/v1/holder/valuation': 'realized_cap_percent lth_realized_cap_percent sth_realized_cap_percent realized_cap_24h realized_cap_percent_24h realized_price_24h realized_cap_1d_1w realized_cap_percent_1d_1w realized_price_1d_1w realized_cap_1w_1m realized_cap_percent_1w_1m realized_price_1w_1m realized_cap_1m_3m realized_cap_percent_1m_3m realized_price_1m_3m realized_cap_3m_6m realized_cap_percent_3m_6m realized_price_3m_6m realized_cap_6m_12m realized_cap_percent_6m_12m realized_price_6m_12m realized_cap_1y_2y realized_cap_percent_1y_2y realized_price_1y_2y realized_cap_2y_3y realized_cap_percent_2y_3y realized_price_2y_3y realized_cap_3y_5y realized_cap_percent_3y_5y realized_price_3y_5y realized_cap_5y_7y realized_cap_percent_5y_7y realized_price_5y_7y realized_cap_7y_10y realized_cap_percent_7y_10y realized_price_7y_10y realized_cap_10y_plus realized_cap_percent_10y_plus realized_price_10y_plus mvrv_z mvrv_z_glassnode mvrv_z_2y mvrv_momentum realized_price_x0_8 realized_price_x2_4 realized_price_x3_2 mvrv_price_minus_1sd mvrv_price_plus_1sd lth_sth_mvrv_ratio realized_cap_change_30d realized_cap_change_30d_percent thermo_cap_with_fees thermo_cap_glassnode mc_tc_ratio_glassnode thermo_price average_cap_since_genesis average_price delta_price top_cap top_cap_since_genesis top_price delta_top transferred_price transferred_price_since_genesis terminal_price cvdd cvdd_since_genesis true_market_mean aviv vaulted_price active_price cointime_price cointime_cap nvt nvt_signal nvt_golden_cross nvt_price rvt velocity velocity_glassnode puell_multiple stock_to_flow stock_to_flow_checkonchain stock_to_flow_price stock_to_flow_deflection rhodl_ratio rhodl_ratio_raw rhodl_ratio_brk slrv_ratio slrv_ribbon_short slrv_ribbon_long vocdd hodl_bank reserve_risk hodl_bank_365d reserve_risk_365d hodl_bank_expanding reserve_risk_expanding'
  '/v1/holder/profit': 'relative_unrealized_profit relative_unrealized_loss percent_supply_in_loss spent_volume_in_profit spent_volume_in_loss spent_cost realized_pl_ratio sell_side_risk_ratio spent_cost_1h lth_unrealized_profit lth_unrealized_loss lth_unrealized_pl lth_relative_unrealized_profit lth_relative_unrealized_loss lth_supply_in_profit lth_supply_in_loss lth_percent_supply_in_profit lth_percent_supply_in_loss lth_spent_volume_in_profit lth_spent_volume_in_loss lth_spent_cost lth_realized_profit lth_realized_loss lth_realized_pl lth_realized_pl_ratio lth_sell_side_risk_ratio sth_unrealized_profit sth_unrealized_loss sth_unrealized_pl sth_relative_unrealized_profit sth_relative_unrealized_loss sth_supply_in_profit sth_supply_in_loss sth_percent_supply_in_profit sth_percent_supply_in_loss sth_spent_volume_in_profit sth_spent_volume_in_loss sth_spent_cost sth_realized_profit sth_realized_loss sth_realized_pl sth_realized_pl_ratio sth_sell_side_risk_ratio sth_asopr sth_spent_cost_1h supply_at_cost supply_in_profit_to_loss sth_supply_in_profit_to_loss supply_percent_sth_in_profit supply_percent_sth_in_loss lth_supply_in_profit_to_loss supply_percent_lth_in_profit supply_percent_lth_in_loss invested_capital_in_profit invested_capital_in_loss sth_invested_capital_in_profit sth_invested_capital_in_loss lth_invested_capital_in_profit lth_invested_capital_in_loss utxos_in_profit utxos_in_loss utxos_in_profit_percent spent_volume_in_profit_percent sopr_7d_sma sopr_30d_sma asopr_7d_sma asopr_30d_sma lth_sopr_7d_sma lth_sopr_30d_sma sth_sopr_7d_sma sth_sopr_30d_sma sopr_ratio rpv_ratio seller_exhaustion cumulative_realized_profit realized_profit_7d_sum realized_profit_30d_sum cumulative_realized_loss realized_loss_7d_sum realized_loss_30d_sum cumulative_realized_pl realized_pl_7d_sum realized_pl_30d_sum realized_pl_ratio_30d realized_pl_30d_to_market_cap cumulative_realized_pl_to_realized_cap'
  '/v1/cohort/metrics/{cohort}': 'supply_sats utxo_count supply_change_30d mvrv unrealized_profit unrealized_loss unrealized_pl relative_unrealized_profit relative_unrealized_loss nupl supply_in_profit supply_in_loss supply_in_profit_percent supply_in_loss_percent spent_volume spent_volume_usd spent_outputs spent_volume_in_profit spent_volume_in_loss spent_cost realized_profit realized_loss realized_pl realized_pl_ratio sell_side_risk_ratio sopr asopr spent_volume_1h spent_volume_1h_usd spent_cost_1h coindays_destroyed dormancy supply_percent realized_cap_percent created_volume created_outputs'
  '/v1/coindays': 'spent_volume spent_volume_usd spent_outputs spent_volume_1h spent_volume_1h_usd lth_spent_volume lth_spent_volume_usd lth_spent_outputs lth_coindays_destroyed lth_dormancy sth_spent_volume sth_spent_volume_usd sth_spent_outputs sth_spent_volume_1h sth_spent_volume_1h_usd sth_coindays_destroyed sth_dormancy transfer_volume_usd transfer_volume_per_tx spent_output_mean_value created_volume created_output_mean_value spent_volume_under_1h svab_under_1h svab_1h_24h spent_outputs_under_1h soab_under_1h spent_outputs_1h_24h soab_1h_24h coindays_destroyed_7d_sum coindays_destroyed_30d_sum coindays_destroyed_90d_sum coindays_destroyed_365d_sum cdd_90d_age_adjusted coinyears_destroyed_age_adjusted supply_adjusted_cyd binary_cdd_365d binary_cdd_7d_sma binary_cdd_30d_sma dormancy_90d supply_adjusted_dormancy dormancy_flow_coins asol msol vdd vdd_multiple vdd_multiple_glassnode svab_24h soab_24h svab_1d_1w soab_1d_1w svab_1w_1m soab_1w_1m svab_1m_3m soab_1m_3m svab_3m_6m soab_3m_6m svab_6m_12m soab_6m_12m svab_1y_2y soab_1y_2y svab_2y_3y soab_2y_3y svab_3y_5y soab_3y_5y svab_5y_7y soab_5y_7y svab_7y_10y soab_7y_10y svab_10y_plus soab_10y_plus coindays_created activity_to_vaultedness liveliness_change_30d active_supply vaulted_supply hodler_net_position_change'
  '/v1/blockchain': 'block_interval block_interval_median tx_count tx_count_with_coinbase tx_per_second cumulative_tx_count outputs inputs_per_tx outputs_per_tx size weight block_size_mean block_fullness_percent tx_size_mean chain_size op_return_outputs op_return_outputs_percent segwit_outputs_percent taproot_outputs_percent segwit_spent_outputs_percent taproot_spent_outputs_percent segwit_outputs taproot_outputs fees_sats fees fees_usd fee_mean fee_mean_usd fee_median fee_median_usd fee_rate_mean cumulative_fees fee_rate_median created_value_median spent_value_median transfer_value_median adjusted_volume adjusted_volume_usd dust_outputs op_return_bytes large_op_return_outputs omni_outputs block_interval_max empty_blocks issuance_sats issuance issuance_usd inflation_rate inflation_rate_annualized inflation_rate_glassnode miner_revenue miner_revenue_usd cumulative_miner_revenue block_reward fees_percent fee_ratio_multiple difficulty_mean difficulty work cumulative_work hash_rate_1d hash_rate_7d hash_rate_30d hash_rate_60d hash_ribbon difficulty_sma_9 difficulty_sma_14 difficulty_sma_25 difficulty_sma_40 difficulty_sma_60 difficulty_sma_90 difficulty_sma_128 difficulty_sma_200 difficulty_ribbon_mean difficulty_ribbon_compression hash_price bitcoin_yardstick pool_count pool_top3_percent pool_herfindahl pool_unknown_percent'
  '/v1/addresses': never
  '/v1/etf/aggregate': 'etf_mvrv etf_net_flow_btc_7d_sum etf_net_flow_btc_30d_sum'
  '/v1/futures/oi': 'total_oi_btc oi_delta_btc oi_to_market_cap oi_to_volume'
  '/v1/funding/aggregate': never
  '/v1/dat/aggregate': 'private_company_btc government_btc fund_btc protocol_btc custodian_btc'
}
