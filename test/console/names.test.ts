import { describe, expect, it } from 'vitest';
import { namesIn } from '../../console/src/texts/names.js';

const known = ['Cardiologia', 'Clínica; geral', ' Medicina  do Sono'];

describe('the names that a reader types or pastes', () => {
  it.each([
    [['Ginecologia, Obstetrícia'], ['Ginecologia, Obstetrícia']],
    [['A; B\nC'], ['A', 'B', 'C']],
    [['A\r\nB\rC\u2028D\u2029E'], ['A', 'B', 'C', 'D', 'E']],
    [
      [';A;;B ; ;', '\n'],
      ['A', 'B'],
    ],
    [
      ['Cardiologia', 'Pediatria;Neurologia, Infantil'],
      ['Cardiologia', 'Pediatria', 'Neurologia, Infantil'],
    ],
  ])('%j are %j', (typed, names) => expect(namesIn(typed, known)).toEqual(names));

  it.each(['  Medicina  do   Sono ', 'Medicina\tdo\u00A0Sono', '\u3000Medicina do Sono;'])(
    'have single blanks inside and none outside: %j',
    (typed) => expect(namesIn([typed], [])).toEqual(['Medicina do Sono']),
  );

  it.each([[['A', 'a', 'A ']], [['A;A', 'a']], [['A', ' A\na']]])('are there once: %j', (typed) =>
    expect(namesIn(typed, [])).toEqual(['A']),
  );

  it('are whole if the catalogue has them', () =>
    expect(namesIn(['Clínica; geral', 'Clínica;  geral ', 'Clínica; outra', ' Medicina  do Sono'], known)).toEqual([
      'Clínica; geral',
      'Clínica',
      'outra',
      'Medicina do Sono',
    ]));
});
