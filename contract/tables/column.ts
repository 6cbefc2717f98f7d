import type { Unit } from '../units.ts'

/** Named as in DuckDB and the data dictionary. */
export type ColumnType =
  | 'BOOLEAN'
  | 'INTEGER'
  | 'BIGINT'
  | 'DOUBLE'
  | 'DECIMAL(38,0)'
  | 'DATE'
  | 'TIMESTAMP'
  | 'VARCHAR'
  | 'VARCHAR[]'

export interface Column<
  Type extends ColumnType = ColumnType,
  Of extends Unit | undefined = Unit | undefined,
  Nullable extends boolean = boolean,
> {
  readonly type: Type
  /** Undefined for dates, texts, flags, ordinals and mixed units. */
  readonly unit: Of
  readonly nullable: Nullable
  /** One or two sentences. */
  readonly description: string
  /** For metrics, as in `catalogue`. */
  readonly title?: string | undefined
  readonly kind?: string | undefined
  readonly variant?: string | undefined
  readonly definitionVersion?: string | undefined
  readonly formula?: string | undefined
  readonly source?: string | undefined
}

/** Satoshis have no other type. */
export type SatsColumn = Column<'BIGINT', 'sats'>

/** Cells for DuckDB: dates are `YYYY-MM-DD`. */
export type Value<Of extends Column> = ValueOfType<Of['type']> | (Of['nullable'] extends false ? never : null)

type ValueOfType<Type extends ColumnType> = Type extends 'VARCHAR' | 'DATE' | 'TIMESTAMP'
  ? string
  : Type extends 'VARCHAR[]'
    ? readonly string[]
    : Type extends 'BOOLEAN'
      ? boolean
      : number

const known = <const Type extends ColumnType, const Of extends Unit | undefined>(
  type: Type,
  unit: Of,
  description: string,
): Column<Type, Of, false> => ({ type, unit, nullable: false, description })

export const date = (description: string) => known('DATE', undefined, description)
export const timestamp = (description: string) => known('TIMESTAMP', undefined, description)
export const text = (description: string) => known('VARCHAR', undefined, description)
export const texts = (description: string) => known('VARCHAR[]', undefined, description)
export const flag = (description: string) => known('BOOLEAN', undefined, description)
/** Such as a height or cycle number. */
export const ordinal = (description: string) => known('INTEGER', undefined, description)

export const sats = (description: string): Column<'BIGINT', 'sats', false> => known('BIGINT', 'sats', description)
/** Below 2^31. */
export const small = <const Of extends NotSats>(unit: Of, description: string) => known('INTEGER', unit, description)
export const whole = <const Of extends NotSats>(unit: Of, description: string) => known('BIGINT', unit, description)
export const large = <const Of extends NotSats>(unit: Of, description: string) =>
  known('DECIMAL(38,0)', unit, description)
export const mixed = (description: string) => known('DOUBLE', undefined, description)
export const number = <const Of extends NotSats>(unit: Of, description: string) => known('DOUBLE', unit, description)

type NotSats = Exclude<Unit, 'sats'>

export const orNull = <Type extends ColumnType, Of extends Unit | undefined>(
  column: Column<Type, Of>,
): Column<Type, Of, true> => ({ ...column, nullable: true })

export const numberOrNull = <const Of extends NotSats>(unit: Of, description: string) =>
  orNull(number(unit, description))
