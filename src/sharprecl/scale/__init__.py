"""Beyond one machine, with Ray.

``cluster``      finding or starting one
``ray_worker``   runs of a sweep as actors
"""
