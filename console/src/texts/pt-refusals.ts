// As palavras em português das recusas.
import type { Texts } from './en.js';

export const problems: Texts['problems'] = {
  unreachable: ['O serviço não responde', 'Verifique a conexão. Nada do que você digitou se perdeu.'],
};

export const faults: Texts['faults'] = {
  required: 'Preencha este campo.',
};
