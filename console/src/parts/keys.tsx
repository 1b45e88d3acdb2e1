// The keys of a page, and the dialog that explains them.
import { Modal } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { type RefObject, useEffect, useState } from 'react';
import { useTexts } from '../texts/language.js';
import { Action } from './actions.js';
import { Facts } from './boxes.js';

type Region = RefObject<HTMLElement | null>;

/** Runs single keys while the focus is in a region and in none of its fields (WCAG 2.2, 2.1.4). A held key runs once. */
export const useKeys = (region: Region, keys: Readonly<Record<string, () => void>>): void =>
  useHotkeys(
    Object.entries(keys).map(([key, run]) => [
      key,
      ({ repeat }) => {
        if (!repeat && region.current?.contains(document.activeElement)) run();
      },
    ]),
  );

const REST_MS = 1_000;

/**
 * Returns whether the reader may not have seen yet what is shown: until they have pressed nothing for a moment since it
 * appeared. What they type into a text does not count. `seen`: what they have opened themselves.
 */
export const useRest = (shown: string, seen: string | undefined): boolean => {
  const [known, setKnown] = useState(seen);
  useEffect(() => {
    if (known === shown) return;
    const ended = new AbortController();
    const options = { capture: true, signal: ended.signal };
    let timer = setTimeout(setKnown, REST_MS, shown);
    const again = ({ target }: Event) => {
      if (target instanceof HTMLTextAreaElement) return;
      clearTimeout(timer);
      timer = setTimeout(setKnown, REST_MS, shown);
    };
    for (const kind of ['keydown', 'pointerdown']) window.addEventListener(kind, again, options);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [known, shown]);
  return known !== shown;
};

let pressedIn: EventTarget | null = null;

/**
 * Ignores a key that is held, unless it moves or writes where it was pressed. For each repetition of Enter, browsers press
 * a button again, also one that has just appeared.
 */
export const ignoreHeld = (event: KeyboardEvent): void => {
  const { key, target, repeat } = event;
  if (!repeat) pressedIn = target;
  const isNewLine = target instanceof HTMLTextAreaElement && !event.ctrlKey && !event.metaKey;
  const goesOn = key === 'Enter' ? isNewLine && target === pressedIn : key.length > 1 || target === pressedIn;
  if (!repeat || goesOn) return;
  event.preventDefault();
  event.stopImmediatePropagation();
};

interface KeysProps {
  readonly region: Region;
  /** The keys of the page, and what each does. */
  readonly keys: readonly (readonly [key: string, does: string])[];
}

/** Opens the dialog with the keys of the page, by mouse or with `?`. */
export const Keys = ({ region, keys }: KeysProps) => {
  const { nav, actions } = useTexts();
  const [isOpen, { open, close }] = useDisclosure();
  useKeys(region, { 'shift+?': open });
  return (
    <div className="wide-only">
      <Action look="quiet" onPress={open}>
        {nav.keys}
      </Action>
      <Modal opened={isOpen} onClose={close} title={nav.keys} closeButtonProps={{ 'aria-label': actions.close }}>
        <Facts of={keys} />
      </Modal>
    </div>
  );
};
