// Says what a change did, in one line that is also read aloud.
import { notifications } from '@mantine/notifications';

export const say = (message: string): void =>
  void notifications.show({ message, withCloseButton: true, autoClose: 6_000 });
