import type { ButtonHTMLAttributes } from 'preact'

export const Button = ({ class: name, ...attributes }: ButtonHTMLAttributes<HTMLButtonElement>) => (
  <button {...attributes} type="button" class={name ? `pill ${name}` : 'pill'} />
)
