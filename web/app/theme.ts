import { computed, signal } from '@preact/signals'
import type { ThemeName } from '#contract/chart-options.ts'

const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
const system = signal<ThemeName>(systemIsDark.matches ? 'dark' : 'light')
systemIsDark.addEventListener('change', ({ matches }) => {
  system.value = matches ? 'dark' : 'light'
})

const attribute = document.documentElement.dataset.theme
const chosen = signal<ThemeName | undefined>(attribute === 'light' || attribute === 'dark' ? attribute : undefined)

export const theme = computed(() => chosen.value ?? system.value)

/** Stores the choice only while it differs from the system's. */
export function switchTheme(): void {
  const next = theme.value === 'dark' ? 'light' : 'dark'
  chosen.value = next === system.value ? undefined : next
  if (chosen.value === undefined) {
    localStorage.removeItem('theme')
    delete document.documentElement.dataset.theme
  } else {
    localStorage.setItem('theme', chosen.value)
    document.documentElement.dataset.theme = chosen.value
  }
}
