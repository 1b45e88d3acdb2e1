// Says what a change did, in one line that is also read aloud.
import { Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { currentTexts } from '../texts/language.js';
import { Action } from './actions.js';

/** What a reader can do after a change, for example go back to it. */
interface Way {
  readonly label: string;
  readonly onPress: () => void;
}

export const say = (message: string, way?: Way): void => {
  const take = () => {
    notifications.hide(id);
    way?.onPress();
  };
  const line = way && (
    <Group justify="space-between" wrap="nowrap">
      {message}
      <Action onPress={take}>{way.label}</Action>
    </Group>
  );
  // Each message replaces the one before, so that messages never cover a page.
  notifications.clean();
  const closeButtonProps = { 'aria-label': currentTexts().actions.close };
  const id = notifications.show({ message: line ?? message, closeButtonProps, autoClose: 6_000 });
};
