"""Everything that travels between the page and the server, declared once; the page's types are made from it.

- ``GET /ws`` is the one WebSocket: JSON texts both ways (``commands``, ``answers``), and binary pose frames
  (``frames``) to the page. The server begins with ``hello``, ``project``, ``body``, ``network`` and ``node_poses``,
  then poses follow at ``hello.rate`` per second. A page that lost its connection connects again and is sent the same.
- ``POST /upload?name=walk.bvh&batch=7`` with the file as its body stores a file below the opened folder and answers
  ``{"path": …}``, for ``import``. Files of one drop have the same ``batch``, so that an ASF lies beside its AMC; a name
  may have folders in it. Refusals are ``{"error": …}`` with status 4xx.
- ``GET /files/PATH`` fetches a file that was written.
- ``GET /health`` answers ``{"ok": true, "version": …}``.

With ``--host`` every one of these but ``/health`` needs ``?token=…``, which stands in the address that was printed.
"""
