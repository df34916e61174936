function text = linked_text(source)
%LINKED_TEXT Return the text of a model that has one link into a library.
text = ['Model { Version 7.0 System { Name "m" Block { BlockType Reference Name "R" ' ...
    'SourceBlock "' source '" } } }'];
end
