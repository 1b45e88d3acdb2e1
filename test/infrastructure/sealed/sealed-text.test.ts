import type { KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { newKey } from '../../../src/infrastructure/sealed/aes-gcm.js';
import { openText, type PersonKeys, sealText } from '../../../src/infrastructure/sealed/sealed-text.js';

const ANA = 'ana';
const BIA = 'bia';

const personsWithKeys = (...persons: readonly string[]) => {
  const all = new Map<string, KeyObject>(persons.map((person) => [person, newKey()]));
  const keys: PersonKeys = async (wanted) =>
    new Map(
      wanted.flatMap((person) => {
        const key = all.get(person);
        return key === undefined ? [] : [[person, key]];
      }),
    );
  return { keys, erase: (person: string) => all.delete(person) };
};

const sealedFor = async (keys: PersonKeys, ...persons: readonly string[]) => {
  const sealed = await sealText(keys, persons, 'both of them', 'record');
  if (sealed === undefined) throw new Error('the text was not sealed');
  return sealed;
};

describe('a text that is sealed for persons', () => {
  it('opens while all of them have their keys, even if one of them is named twice', async () => {
    const { keys } = personsWithKeys(ANA, BIA);
    const sealed = await sealedFor(keys, ANA, BIA, ANA);
    expect(sealed.persons).toEqual([ANA, BIA]);
    expect(await openText(keys, sealed, 'record')).toBe('both of them');
  });

  it.each([ANA, BIA])('does not open once %s is erased, and no new text is sealed', async (person) => {
    const { keys, erase } = personsWithKeys(ANA, BIA);
    const sealed = await sealedFor(keys, ANA, BIA);
    erase(person);
    expect(await openText(keys, sealed, 'record')).toBeUndefined();
    expect(await sealText(keys, [ANA, BIA], 'both of them', 'record')).toBeUndefined();
  });

  it('does not open with the keys of some of them', async () => {
    const { keys } = personsWithKeys(ANA, BIA);
    const { sealed } = await sealedFor(keys, ANA, BIA);
    await expect(openText(keys, { persons: [ANA], sealed }, 'record')).rejects.toThrow(StoreUnavailable);
  });

  it('is reported as damaged if it was altered or moved to another record', async () => {
    const { keys } = personsWithKeys(ANA);
    const { persons, sealed } = await sealedFor(keys, ANA);
    const bytes = Buffer.from(sealed, 'base64');
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    await expect(openText(keys, { persons, sealed: bytes.toString('base64') }, 'record')).rejects.toThrow(
      StoreUnavailable,
    );
    await expect(openText(keys, { persons, sealed }, 'another')).rejects.toThrow(StoreUnavailable);
  });

  it('must name a person', async () => {
    await expect(sealText(personsWithKeys().keys, [], 'nobody', 'record')).rejects.toThrow();
  });
});
