/** Browsers show no text for so long while its font loads. */
const blockPeriodMs = 3_000

/** Texts measured or laid out before would move when the font arrives. */
export const fontsReady: Promise<unknown> = Promise.race([
  Promise.all([400, 600].map((weight) => document.fonts.load(`${weight} 12px Inter`, 'Aé–−·…₿'))).catch(
    () => undefined,
  ),
  new Promise((resolve) => setTimeout(resolve, blockPeriodMs)),
])
