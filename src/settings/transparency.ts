// The transparency log: the environment variables, each documented once, here.

/** What the variables come to. */
export interface TransparencySettings {
  /** The origin line of the first log: it names the log in every checkpoint. */
  readonly logOrigin: string;
}

/** Takes the settings from the parsed environment. */
export const transparencySettingsOf = ({
  PUBLIC_URL,
}: {
  readonly PUBLIC_URL?: string | undefined;
}): TransparencySettings => ({
  logOrigin: `${PUBLIC_URL === undefined ? 'localhost' : new URL(PUBLIC_URL).host}/audit/log`,
});
