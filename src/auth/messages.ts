// What the messages with one-time codes say, by purpose and language. They hold no link: nobody is to get used to
// following one to where a code is asked for.
import type { Channel, Language, Purpose } from './codes.js';

const SERVICE = 'Clinical Protocols';

interface Template {
  readonly subject: string;
  /** What the code does, in a sentence that begins with it. */
  readonly does: string;
}

const templates: Readonly<Record<Language, Readonly<Record<Purpose, Template>>>> = {
  pt: {
    activation: { subject: 'Seu código de ativação', does: 'ativa o seu acesso ao' },
    'phone-change': { subject: 'Confirme o seu novo telefone', does: 'confirma o seu novo telefone no' },
    'password-reset': { subject: 'Redefina a sua senha', does: 'redefine a sua senha no' },
  },
  en: {
    activation: { subject: 'Your activation code', does: 'activates your access to' },
    'phone-change': { subject: 'Confirm your new phone', does: 'confirms your new phone at' },
    'password-reset': { subject: 'Reset your password', does: 'resets your password at' },
  },
};

// An SMS has 160 characters of the GSM alphabet (3GPP TS 23.038), or 70 of others, to which most accents belong: the
// Portuguese text has words that need none.
const frames: Readonly<
  Record<Language, Readonly<Record<Channel, (does: string, code: string, minutes: number) => string>>>
> = {
  pt: {
    EMAIL: (does, code, minutes) =>
      `Olá,\n\no código ${code} ${does} ${SERVICE}. Ele vale por ${minutes} minutos e uma única vez.\n\n` +
      'Se você não pediu este código, ignore esta mensagem. Não o informe a ninguém: nossa equipe nunca o pede.\n',
    SMS: (does, code, minutes) =>
      `${code} ${does} ${SERVICE}. Vale por ${minutes} minutos. Se foi outra pessoa que pediu, ignore esta mensagem.`,
  },
  en: {
    EMAIL: (does, code, minutes) =>
      `Hello,\n\nthe code ${code} ${does} ${SERVICE}. It is good for ${minutes} minutes, and once.\n\n` +
      'If you did not ask for this code, ignore this message. Tell it to nobody: none of us ever asks for it.\n',
    SMS: (does, code, minutes) =>
      `${code} ${does} ${SERVICE}. Good for ${minutes} minutes. If you did not ask for it, ignore this message.`,
  },
};

/** What a message with a code says. */
export const messageOf = (
  { purpose, channel, language }: { readonly purpose: Purpose; readonly channel: Channel; readonly language: Language },
  code: string,
  lifeMs: number,
): { readonly subject: string; readonly text: string } => {
  const { subject, does } = templates[language][purpose];
  return { subject, text: frames[language][channel](does, code, Math.floor(lifeMs / 60_000)) };
};
